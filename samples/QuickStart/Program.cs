switch (args)
{
    case ["engine"]:
        await EngineAlone.RunAsync();
        return 0;
    case ["akka", .. var rest]:
        await WithAkka.RunAsync(rest);
        return 0;
    case ["postgres", var connectionString, .. var rest]:
        await OnPostgreSql.RunAsync(connectionString, rest);
        return 0;
    case ["projection", .. var rest]:
        await WithProjection.RunAsync(rest);
        return 0;
    case ["shards"]:
        await WithShards.RunAsync();
        return 0;
    default:
        Console.Error.WriteLine("Give one of engine, akka, postgres, projection and shards: dotnet run --project samples/QuickStart engine");
        return 2;
}

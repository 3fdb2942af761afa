using Throttled.Benchmarks.Akka;

switch (args)
{
    case ["throttler"]:
        await ThrottlerRate.RunAsync();
        return 0;
    case ["crush-akka", .. var rest]:
        await AkkaCrushMatrix.RunAsync(rest);
        return 0;
    default:
        Console.Error.WriteLine(
            """
            throttler                                permits per second through the QueryThrottler actor       -> results/throttler.md
            crush-akka [streams] [events] [rounds]   the crush test with actors, on SQLite and PostgreSQL      -> results/crush-akka.md
            """);
        return args is [] or ["--help"] ? 0 : 2;
}

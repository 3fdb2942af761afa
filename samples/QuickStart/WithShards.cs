using Throttled.Journal;
using Throttled.Journal.Sqlite;

/// <summary>One journal in four databases.</summary>
internal static class WithShards
{
    internal static async Task RunAsync()
    {
        var directory = Directory.CreateTempSubdirectory("quickstart-");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => directory.Delete(recursive: true);

        // Four databases, one journal. For PostgreSQL, use its connection strings and PostgreSqlJournal.
        string[] databases = [.. Enumerable.Range(0, 4).Select(shard => $"Data Source={directory.FullName}/shard-{shard}.db")];
        await using var appender = ShardedJournal.OpenAppender(databases, SqliteJournal.OpenAppender);
        await appender.CreateAsync();
        await appender.AppendAsync([Event("anna", 1), Event("ben", 1), Event("clara", 1), Event("david", 1), Event("emma", 1)]);

        // The queries are the same as for one database. The events of an entity come from its shard, all events from all shards.
        await using var reader = ShardedJournal.OpenReader(databases, SqliteJournal.OpenReader);
        await foreach (var each in reader.CurrentEventsByPersistenceId("clara"))
            Console.WriteLine($"{each.PersistenceId} {each.SequenceNumber}");

        // A position has an ordering for each shard. Store its text, and start from it later.
        var position = ShardedPosition.At(ShardMap.Even(databases.Length));
        await foreach (var each in reader.CurrentAllEvents(position))
            position = position.After(each);
        var stored = position.ToString();
        Console.WriteLine(stored);

        await appender.AppendAsync([Event("anna", 2), Event("emma", 2)]);
        await foreach (var each in reader.AllEvents(ShardedPosition.Parse(stored)).Take(2))
            Console.WriteLine($"{each.PersistenceId} {each.SequenceNumber}");

        static JournalEvent Event(string persistenceId, long number) =>
            new() { PersistenceId = persistenceId, SequenceNumber = number, Payload = "deposited"u8.ToArray() };
    }
}

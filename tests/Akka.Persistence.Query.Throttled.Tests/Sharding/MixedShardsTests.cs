using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Akka.Streams;
using Akka.Streams.Dsl;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>Shards on different databases, with tables of different names, are one journal.</summary>
public sealed class MixedShardsTests
{
    [PostgreSqlFact]
    public async Task A_shard_in_a_file_and_one_on_a_server_are_read_together()
    {
        var file = SqliteFile.New(isWriteAhead: true);
        var server = SharedServer.Server.CreateDatabase();
        string[] ids = [.. Enumerable.Range(0, 10).Select(i => $"id-{i}")];
        await WriteAsync(
            [() => SqliteJournal.OpenAppender(file.ConnectionString), () => PostgreSqlJournal.OpenAppender(server, JournalTables.PostgreSql with { JournalTable = "moved" })], ids);
        await using (var system = new ConfiguredSystem($$"""
            shards.a { class = "A, Akka.Persistence.Sql", connection-string = "{{file.ConnectionString}}", provider-name = SQLite }
            shards.b { class = "B, Akka.Persistence.PostgreSql", connection-string = "{{server}}", table-name = moved }
            {{WriteShards.Identifier}}.shards = [shards.a, shards.b]
            akka.persistence.journal.plugin = {{WriteShards.Identifier}}
            """))
        {
            Assert.Equal(ids, await IdsByTagAsync(system));
        }
        file.Delete();
    }

    [SqlServerFact]
    public async Task A_shard_in_a_file_and_one_on_SQL_Server_are_read_together()
    {
        var file = SqliteFile.New(isWriteAhead: true);
        var server = SqlServerJournals.CreateDatabase();
        string[] ids = [.. Enumerable.Range(0, 10).Select(i => $"id-{i}")];
        await WriteAsync(
            [() => SqliteJournal.OpenAppender(file.ConnectionString), () => SqlServerJournal.OpenAppender(server, JournalTables.SqlServer with { JournalTable = "Moved" })], ids);
        await using (var system = new ConfiguredSystem($$"""
            shards.a { class = "A, Akka.Persistence.Sql", connection-string = "{{file.ConnectionString}}", provider-name = SQLite }
            shards.b { class = "B, Akka.Persistence.SqlServer", connection-string = "{{SqlServerJournals.Hocon(server)}}", table-name = Moved }
            {{WriteShards.Identifier}}.shards = [shards.a, shards.b]
            akka.persistence.journal.plugin = {{WriteShards.Identifier}}
            """))
        {
            Assert.Equal(ids, await IdsByTagAsync(system));
        }
        SqlServerJournals.Drop(server);
        file.Delete();
    }

    [PostgreSqlFact]
    public async Task Data_sources_of_all_shards_are_read_together()
    {
        await using var a = NpgsqlDataSource.Create(SharedServer.Server.CreateDatabase());
        await using var b = NpgsqlDataSource.Create(SharedServer.Server.CreateDatabase());
        string[] ids = [.. Enumerable.Range(0, 10).Select(i => $"id-{i}")];
        await WriteAsync([() => PostgreSqlJournal.OpenAppender(a), () => PostgreSqlJournal.OpenAppender(b)], ids);
        await using var system = new ConfiguredSystem("", new ThrottledReadJournalSetup().WithDataSources(ThrottledReadJournal.Identifier, [a, b]));
        Assert.Equal(ids, await IdsByTagAsync(system));
    }

    private static async Task WriteAsync(Func<JournalAppender>[] shards, string[] ids)
    {
        await using var appender = ShardedJournal.OpenAppender(shards, (open, _) => open());
        await appender.CreateAsync();
        await appender.AppendAsync([.. ids.Select(id => new JournalEvent { PersistenceId = id, SequenceNumber = 1, SerializerId = 4, Payload = new byte[] { 1 }, Tags = ["tag"] })]);
    }

    // Reads one event at a time, each from the offset of the previous one.
    private static async Task<IEnumerable<string>> IdsByTagAsync(ConfiguredSystem system)
    {
        List<string> ids = [];
        var offset = Offset.NoOffset();
        while (await system.Open().CurrentEventsByTag("tag", offset).Take(1).RunWith(Sink.Seq<EventEnvelope>(), system.System.Materializer()).WithinAsync("the next event") is [var next])
        {
            ids.Add(next.PersistenceId);
            offset = ShardedOffset.Parse(next.Offset.ToString());
        }
        return ids.Order(StringComparer.Ordinal);
    }
}

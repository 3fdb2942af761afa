using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Microsoft.Data.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>SQLite files that form one journal. Each has its own write plugin: <c>shards.s0</c> and so on.</summary>
internal sealed class ShardedFiles
{
    private readonly SqliteFile[] _files;
    private readonly string _events;

    private ShardedFiles(int shards, string events, Func<SqliteFile, string> section)
    {
        _events = events;
        _files = [.. Enumerable.Range(0, shards).Select(_ => SqliteFile.New(isWriteAhead: true))];
        Map = ShardMap.Even(shards);
        var plugins = Enumerable.Range(0, shards).Select(PathOf);
        var sections = _files.Select((file, shard) => $"{PathOf(shard)} {{\n{section(file)}\n}}");
        Config = ConfigurationFactory.ParseString(
            $$"""
            {{AkkaTimeouts.Hocon}}
            akka.loglevel = INFO
            akka.stdout-loglevel = OFF
            akka.persistence {
              journal.plugin = "{{WriteShards.Identifier}}"
              journal.sharded-databases {
                class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded"
                shards = [{{string.Join(", ", plugins)}}]
              }
              snapshot-store.plugin = "akka.persistence.snapshot-store.inmem"
            }
            {{string.Join('\n', sections)}}
            """);
    }

    internal Config Config { get; }

    internal ShardMap Map { get; }

    internal IReadOnlyList<SqliteFile> Files => _files;

    internal static string PathOf(int shard) => $"shards.s{shard}";

    /// <summary>Written by Akka.Persistence.Sql. Each shard has the settings that a user must write.</summary>
    internal static ShardedFiles OfSql(int shards) => new(
        shards,
        "journal WHERE deleted = 0",
        file => $"""
            class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
            connection-string = "{file.ConnectionString}"
            provider-name = "SQLite.MS"
            """);

    /// <summary>Written by the older plugin.</summary>
    internal static ShardedFiles OfOlder(int shards) => new(
        shards,
        "event_journal WHERE is_deleted = 0",
        file => $"""
            class = "Akka.Persistence.Sqlite.Journal.SqliteJournal, Akka.Persistence.Sqlite"
            connection-string = "{file.ConnectionString}"
            auto-initialize = on
            """);

    /// <summary>The persistence ids that have events in a shard, with the number of events that are not deleted.</summary>
    internal IReadOnlyDictionary<string, long> EventsIn(int shard)
    {
        var events = new Dictionary<string, long>();
        using var connection = new SqliteConnection(_files[shard].ConnectionString);
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = $"SELECT persistence_id, COUNT(*) FROM {_events} GROUP BY persistence_id";
        using var rows = command.ExecuteReader();
        while (rows.Read())
            events[rows.GetString(0)] = rows.GetInt64(1);
        return events;
    }

    /// <summary>Runs a statement in the database of a shard, and returns the first value.</summary>
    internal object? Run(int shard, string sql)
    {
        using var connection = new SqliteConnection(_files[shard].ConnectionString);
        connection.Open();
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        return command.ExecuteScalar();
    }

    /// <summary>The first id with a given name that belongs to a shard.</summary>
    internal string IdIn(int shard, string name = "id") =>
        Enumerable.Range(0, int.MaxValue).Select(i => $"{name}-{i}").First(id => Map.ShardOf(id) == shard);

    internal void Delete()
    {
        foreach (var file in _files)
            file.Delete();
    }
}

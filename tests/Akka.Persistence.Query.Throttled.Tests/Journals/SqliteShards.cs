using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Sql;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>Two SQLite files, each with its own Akka.Persistence.Sql. Akka.NET's specs write to both.</summary>
public sealed class SqliteShards : IWrittenJournal
{
    public static string? SkipReason => null;

    // The ids of the specs are letters from "a" on. The slice of such an id is the code of the letter: 97 and on.
    public static WrittenJournal New() => ShardedSqlite.New("""["0-97", "98-1023"]""");
}

/// <summary>The same, but one file stays empty, for those of Akka.NET's specs that expect one order of all events.</summary>
public sealed class SqliteShardsOneEmpty : IWrittenJournal
{
    public static string? SkipReason => null;

    public static WrittenJournal New() => ShardedSqlite.New("""["0-511", "512-1023"]""");
}

internal static class ShardedSqlite
{
    internal static WrittenJournal New(string slices)
    {
        SqliteFile[] files = [SqliteFile.New(isWriteAhead: true), SqliteFile.New(isWriteAhead: true)];
        return WrittenJournal.Of(
            $$"""
            akka.persistence {
              journal.plugin = "{{WriteShards.Identifier}}"
              journal.auto-start-journals = ["{{WriteShards.Identifier}}"]
              journal.sharded-databases {
                class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded"
                shards = [shards.a, shards.b]
                slices = {{slices}}
              }
              snapshot-store.plugin = "akka.persistence.snapshot-store.inmem"
            }
            shards.a { {{Section(files[0])}} }
            shards.b { {{Section(files[1])}} }
            """,
            SqlPersistence.DefaultConfiguration,
            () => Array.ForEach(files, file => file.Delete()));
    }

    private static string Section(SqliteFile file) => $"""
        class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
        connection-string = "{file.ConnectionString}"
        provider-name = "SQLite.MS"
        {Tagging.ByColor}
        """;
}

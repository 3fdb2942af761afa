using Akka.Configuration;
using Akka.Persistence.Sql;
using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Actors;

internal static class ActorConfig
{
    /// <summary>Akka.Persistence.Sql's setting for how long a stream may wait for a permit before it fails.</summary>
    internal const string ExistingTimeout = "akka.persistence.query.journal.sql.query-throttle-timeout";

    /// <summary>Nothing on the console: warnings are collected, and dead letters are not logged.</summary>
    internal static Config Quiet { get; } = ConfigurationFactory.ParseString(
        """
        akka {
          loglevel = WARNING
          stdout-loglevel = OFF
          loggers = []
          log-dead-letters = off
          log-dead-letters-during-shutdown = off
          coordinated-shutdown.run-by-clr-shutdown-hook = off
          actor.serializers {
            crush-json = "CrushTest.Actors.JsonPayloads, CrushTest"
            crush-protobuf = "CrushTest.Actors.ProtobufPayloads, CrushTest"
          }
        }
        """);

    internal static Config Plugin(CrushSettings settings, CrushJournal journal) => Parse(
        $$"""
        akka.persistence.query.journal.throttled {
          {{(journal.Databases is [var only] ? $"connection-string = {Quoted(only.ReadersConnection)}" : $"shards = [{Connections(journal)}]")}}
          {{Common(settings)}}
          {{Tables(journal.Tables)}}
        }
        """);

    /// <summary>Akka.Persistence.Sql on the same journal, with the same page, permits and refresh interval, otherwise with its defaults.</summary>
    internal static Config Existing(CrushSettings settings, CrushJournal journal) => Existing(settings, journal.Databases[0].ReadersConnection, journal.Tables);

    internal static Config Existing(CrushSettings settings, string connection, JournalTables tables)
    {
        var where = $"""
            connection-string = {Quoted(connection)}
            {Tables(tables)}
            """;
        return Parse(
            $$"""
            akka.persistence.journal.sql {
              provider-name = {{settings.Kind.Provider}}
              auto-initialize = off
              {{where}}
            }
            akka.persistence.query.journal.sql {
              write-plugin = akka.persistence.journal.sql
              {{Common(settings)}}
              {{where}}
            }
            """).WithFallback(SqlPersistence.DefaultConfiguration);
    }

    private static Config Parse(string text) => ConfigurationFactory.ParseString(text).WithFallback(Quiet);

    private static string Common(CrushSettings settings) => $"""
        provider-name = {settings.Kind.Provider}
        max-buffer-size = {settings.Page}
        max-concurrent-queries = {settings.Permits}
        refresh-interval = {settings.RefreshInterval.TotalMilliseconds}ms
        """;

    private static string Tables(JournalTables tables) => $$"""
        default { journal.table-name = {{tables.JournalTable}}, tag.table-name = {{tables.TagTable}} }
        """;

    private static string Connections(CrushJournal journal) =>
        string.Join(", ", journal.Databases.Select(database => Quoted(database.ReadersConnection)));

    private static string Quoted(string text) =>
        $"\"{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"";
}

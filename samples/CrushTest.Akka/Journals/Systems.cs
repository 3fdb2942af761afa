using Akka.Configuration;
using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Akka.Journals;

/// <summary>The configuration of the actor systems.</summary>
internal static class Systems
{
    /// <summary>Nothing on the console: warnings are collected, and stopping a hundred thousand actors is no news.</summary>
    internal static Config Quiet { get; } = ConfigurationFactory.ParseString(
        """
        akka {
          loglevel = WARNING
          stdout-loglevel = OFF
          loggers = []
          log-dead-letters = off
          log-dead-letters-during-shutdown = off
          coordinated-shutdown.run-by-clr-shutdown-hook = off
        }
        """);

    /// <summary>The plugin on the crush test's journal.</summary>
    internal static Config Of(CrushSettings settings, CrushJournal database) => ConfigurationFactory.ParseString(
        $$"""
        akka.persistence.query.journal.throttled {
          connection-string = {{Quoted(database.Databases[0].ReadersConnection)}}
          provider-name = {{settings.Kind.Provider}}
          max-buffer-size = {{settings.Page}}
          max-concurrent-queries = {{settings.Permits}}
          refresh-interval = {{settings.RefreshInterval.TotalMilliseconds}}ms
          default.journal.table-name = {{database.Databases[0].Tables.JournalTable}}
          default.tag.table-name = {{database.Databases[0].Tables.TagTable}}
        }
        """).WithFallback(Quiet);

    private static string Quoted(string text) =>
        $"\"{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"";
}

using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>The database that a write plugin writes to, as far as its section tells.</summary>
internal static class ShardDatabase
{
    /// <param name="all">The whole configuration.</param>
    /// <param name="plugin">The path of the write plugin.</param>
    /// <returns>How to reach its journal; null where that cannot be told.</returns>
    internal static Func<JournalAppender>? Of(Config all, string plugin)
    {
        try
        {
            return WritePluginSection.Read(plugin, all.GetConfig(plugin)) is { } said ? Of(new SettingReader(plugin, SettingsFile.Defaults).With(said)) : null;
        }
        catch (Exception error) when (error is ConfigurationException or ArgumentException)
        {
            // Any write plugin can be a shard, also on a database that is not read here.
            return null;
        }
    }

    private static Func<JournalAppender>? Of(SettingReader settings)
    {
        // With connections that come from code there is none.
        if (settings.Text("connection-string") is not { Length: > 0 } connection)
            return null;
        var tables = TableSettings.Read(settings, TableSettings.Mapping(settings));
        return ProviderName.Read(settings) switch
        {
            DatabaseKind.PostgreSql => Opened(() => PostgreSqlJournal.OpenAppender(connection, tables)),
            DatabaseKind.SqlServer => Opened(() => SqlServerJournal.OpenAppender(connection, tables)),
            // One in memory is gone with its last connection, and has nobody wait for a lock.
            _ => SqliteSource.Parse(connection).File is null ? null : Opened(() => SqliteJournal.OpenAppender(connection, tables)),
        };
    }

    // What cannot be opened is refused before anything is connected to.
    private static Func<JournalAppender> Opened(Func<JournalAppender> open)
    {
        _ = open().DisposeAsync().AsTask();
        return open;
    }
}

using System.Data.Common;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Sharded;

/// <summary>The database of a write plugin, as far as its section names it.</summary>
internal static class ShardDatabase
{
    /// <returns>Opens an appender on the plugin's journal; null if the database is not known.</returns>
    internal static Func<JournalAppender>? Of(Config all, string plugin, Func<GivenDatabase?>? given = null)
    {
        var section = all.GetConfig(plugin);
        var settings = new SettingReader(plugin, SettingsFile.Defaults);
        try
        {
            if (given?.Invoke() is not { } database)
                return WritePluginSection.Read(plugin, section) is { } said ? Of(settings.With(said), null) : null;
            settings = database.ApplyTo(settings);
            return Of(settings.With(WritePluginSection.ReadOn(database.KindBy(settings), plugin, section)), database.DataSource);
        }
        catch (Exception error) when (error is ConfigurationException or ArgumentException)
        {
            // Any write plugin can be a shard, also on a database that is not supported here.
            return null;
        }
    }

    private static Func<JournalAppender>? Of(SettingReader settings, DbDataSource? source)
    {
        var tables = TableSettings.Read(settings, TableSettings.Mapping(settings));
        var connection = settings.Text("connection-string");
        return (ProviderName.Read(settings), source) switch
        {
            (DatabaseKind.PostgreSql, not null) => Opened(() => PostgreSqlJournal.OpenAppender(source, tables)),
            (DatabaseKind.SqlServer, not null) => Opened(() => SqlServerJournal.OpenAppender(source, tables)),
            _ when connection.Length == 0 => null,
            (DatabaseKind.PostgreSql, _) => Opened(() => PostgreSqlJournal.OpenAppender(connection, tables)),
            (DatabaseKind.SqlServer, _) => Opened(() => SqlServerJournal.OpenAppender(connection, tables)),
            // A database in memory ends with its last connection, and no other process can use it.
            _ => SqliteSource.Parse(connection).File is null ? null : Opened(() => SqliteJournal.OpenAppender(connection, tables)),
        };
    }

    // Opens an appender once, so that a wrong setting fails before anything connects.
    private static Func<JournalAppender> Opened(Func<JournalAppender> open)
    {
        _ = open().DisposeAsync().AsTask();
        return open;
    }
}

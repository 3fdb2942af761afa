using System.Data.Common;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;

namespace Akka.Persistence.Sharded;

/// <summary>The database that a write plugin writes to, as far as its section tells.</summary>
internal static class ShardDatabase
{
    /// <param name="all">The whole configuration.</param>
    /// <param name="plugin">The path of the write plugin.</param>
    /// <param name="given">Finds the database that code gave to the plugin; none by default.</param>
    /// <returns>How to reach its journal; null where that cannot be told.</returns>
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
            // Any write plugin can be a shard, also on a database that is not read here.
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

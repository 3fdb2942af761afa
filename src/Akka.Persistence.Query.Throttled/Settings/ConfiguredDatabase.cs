using Akka.Configuration;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>A database of a journal, read from the configuration of an application. For programs without an actor system.</summary>
/// <param name="Database">The kind of database.</param>
/// <param name="ConnectionString">The connection string.</param>
/// <param name="ConnectionSetting">The full name of the setting that contains the connection string.</param>
/// <param name="Layout">The key of the tables' layout.</param>
/// <param name="Options">The options of the read journal, with the names of the tables.</param>
internal sealed record ConfiguredDatabase(DatabaseKind Database, string ConnectionString, string ConnectionSetting, string Layout, JournalOptions Options)
{
    /// <summary>Reads the databases of a read journal as the plugin does: settings that are missing in its section come from the write plugin.</summary>
    /// <param name="hocon">The whole configuration.</param>
    /// <param name="path">The path of the read journal; null for the default one, which needs no section.</param>
    /// <returns>The databases of all shards in their order; one if the journal is not sharded.</returns>
    /// <exception cref="ArgumentException">The text is not HOCON, or a setting is wrong. The message names the setting.</exception>
    internal static IReadOnlyList<ConfiguredDatabase> Read(string hocon, string? path)
    {
        try
        {
            return [.. SettingsFile.ReadDatabases(Parsed(hocon), path ?? ThrottledReadJournal.Identifier).Select(each => new ConfiguredDatabase(
                each.Database, each.ConnectionString, each.ConnectionSetting, each.Names.Layout, each.Options))];
        }
        catch (ConfigurationException error)
        {
            throw new ArgumentException(error.Message, error);
        }
    }

    // The parser throws exceptions of many types.
    private static Config Parsed(string hocon)
    {
        try
        {
            return ConfigurationFactory.ParseString(hocon);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            throw new ArgumentException($"It is not HOCON: {error.Message}", error);
        }
    }
}

using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>
/// The write plugin of a read journal. A read journal without a connection string reads the write plugin's database, because
/// the older plugins' read journals never had a connection string.
/// </summary>
internal static class WritePlugin
{
    private const string Default = "akka.persistence.journal.plugin";

    /// <returns>The path of the write plugin; null if there is none.</returns>
    /// <exception cref="ConfigurationException">The read journal names a write plugin that is not configured.</exception>
    internal static string? PathOf(Config all, SettingReader settings)
    {
        if (settings.Text("write-plugin") is { Length: > 0 } named)
            return NamedSection.IsThere(all, named) ? named : throw settings.Invalid(
                "write-plugin",
                $"the path of a journal plugin that is configured, as in akka.persistence.journal.sql. Leave it out to use the one that {Default} names");
        return all.GetString(Default) is { Length: > 0 } path && NamedSection.IsThere(all, path) ? path : null;
    }

    /// <summary>The shards of a write plugin; null if it is not sharded, or if there is no write plugin.</summary>
    /// <exception cref="ConfigurationException">A setting of the write plugin is wrong.</exception>
    internal static WriteShards? ShardsOf(Config all, string? path) => path is not null && WriteShards.AreAt(all, path) ? WriteShards.Read(all, path) : null;

    /// <summary>The settings of a read journal that names no database, completed with those of its write plugin.</summary>
    /// <exception cref="ConfigurationException">The write plugin names no database either.</exception>
    internal static SettingReader InheritDatabase(SettingReader own, Config all, string? path, Config defaults, WriteShards? shards = null)
    {
        // The section of a plugin of Akka.NET (akka.persistence.journal.inmem) exists only after persistence has started.
        var named = path ?? all.GetString(Default);
        if (string.IsNullOrEmpty(named))
            throw NoConnection(own, $"no write plugin is configured: '{Default}' is empty", shards);
        var settings = (path is null ? null : WritePluginSection.Read(path, all.GetConfig(path)))
            ?? throw NoConnection(own, $"the tables of the write plugin '{named}' are not known", shards);
        if (!settings.Any(each => each.Key == "connection-string"))
            throw NoConnection(own, $"'{path}.connection-string' is empty too", shards);
        return Inherit(own, settings, defaults);
    }

    /// <summary>
    /// The settings of a read journal whose connections come from a data source. The write plugin's settings say how events are
    /// stored; if they do not, the read journal's own settings apply.
    /// </summary>
    internal static SettingReader InheritTables(SettingReader own, DatabaseKind database, Config all, string? path, Config defaults) =>
        path is null ? own : Inherit(own, WritePluginSection.ReadOn(database, path, all.GetConfig(path)), defaults);

    /// <summary>The settings of a read journal, completed with the write plugin's settings for stored payloads, if it has any.</summary>
    internal static SettingReader InheritPayloads(SettingReader own, Config all, string? path, Config defaults) =>
        path is null ? own : Inherit(own, WritePluginSection.ReadPayloads(path, all.GetConfig(path)), defaults);

    private static SettingReader Inherit(SettingReader own, IEnumerable<InheritedSetting> inherited, Config defaults)
    {
        var hasOwnLayout = own.Text("table-mapping") != defaults.GetString("table-mapping");
        // The section's own settings win. A setting that has the default value counts as not set.
        return own.With(inherited.Where(each =>
            own.Text(each.Key) == (defaults.GetString(each.Key) ?? "") && !(hasOwnLayout && each.Key.Contains('.', StringComparison.Ordinal))));
    }

    private static ConfigurationException NoConnection(SettingReader own, string why, WriteShards? shards) => new(shards is null
        ? $"'{own.NameOf("connection-string")}' is empty, and {why}. Set it in the format of the database's driver, and set 'provider-name' too."
        : $"'{own.NameOf("shards")}' is empty, and for the shards of '{shards.Path}', {why}. List the connection strings of all shards there, and set 'provider-name' too.");
}

using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>
/// The plugin that writes what a read journal reads. A read journal without a connection string of its own reads where its write
/// plugin writes: the older plugins' read journals never had one.
/// </summary>
internal static class WritePlugin
{
    private const string Default = "akka.persistence.journal.plugin";
    private const string InMemory = "akka.persistence.journal.inmem";

    /// <param name="all">The whole configuration.</param>
    /// <param name="settings">The section of the read journal.</param>
    /// <returns>Its path; null where there is none.</returns>
    /// <exception cref="ConfigurationException">The read journal names one that is not configured.</exception>
    internal static string? PathOf(Config all, SettingReader settings)
    {
        if (settings.Text("write-plugin") is { Length: > 0 } named)
            return NamedSection.IsThere(all, named) ? named : throw settings.Refused(
                "write-plugin",
                $"the path of a journal plugin that is configured, as in akka.persistence.journal.sql. Leave it out for the one that {Default} names");
        return all.GetString(Default) is { Length: > 0 } path && NamedSection.IsThere(all, path) ? path : null;
    }

    /// <summary>The shards that a write plugin divides the journal among; null where it is not a sharded one.</summary>
    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path of the write plugin; null where there is none.</param>
    /// <exception cref="ConfigurationException">A setting of it is wrong.</exception>
    internal static WriteShards? ShardsOf(Config all, string? path) => path is not null && WriteShards.AreAt(all, path) ? WriteShards.Read(all, path) : null;

    /// <summary>The settings of a read journal that says nothing of where its journal is, with those that its write plugin says.</summary>
    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path of the write plugin.</param>
    /// <param name="own">The section of the read journal.</param>
    /// <param name="defaults">The read journal's defaults.</param>
    /// <param name="shards">The sharded write plugin that it is a part of; null where it is none.</param>
    /// <exception cref="ConfigurationException">The write plugin does not say it either.</exception>
    internal static SettingReader LendTo(SettingReader own, Config all, string? path, Config defaults, WriteShards? shards = null)
    {
        var named = path ?? all.GetString(Default);
        if (string.IsNullOrEmpty(named))
            throw Nowhere(own, $"no write plugin is configured that would say where the journal is: '{Default}' is empty", shards);
        // Akka.NET brings the section of the journal in memory, when persistence has started.
        if (path is null && named != InMemory)
            throw Nowhere(own, $"'{Default}' names {NearName.Suggest(named, PluginPath.Sections(all))}, which is no section", shards);
        var said = (path is null ? null : WritePluginSection.Read(path, all.GetConfig(path)))
            ?? throw Nowhere(own, $"the write plugin '{named}' is none whose tables are known", shards);
        if (!said.Any(each => each.Key == "connection-string"))
            throw Nowhere(own, $"'{path}.connection-string' is empty too", shards);
        return Lend(own, said, defaults);
    }

    /// <summary>
    /// The settings of a read journal whose connections come from a data source, with those of its write plugin that tell how events are
    /// stored. Where the write plugin cannot tell, they are the read journal's own.
    /// </summary>
    /// <param name="own">The section of the read journal.</param>
    /// <param name="database">What the data source leads to.</param>
    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path of the write plugin.</param>
    /// <param name="defaults">The read journal's defaults.</param>
    internal static SettingReader LendTablesTo(SettingReader own, DatabaseKind database, Config all, string? path, Config defaults) =>
        path is null ? own : Lend(own, WritePluginSection.ReadOn(database, path, all.GetConfig(path)), defaults);

    /// <summary>The settings of a read journal with those of its write plugin that tell how payloads are stored, where it can tell.</summary>
    /// <inheritdoc cref="LendTo" path="/param"/>
    internal static SettingReader LendPayloadsTo(SettingReader own, Config all, string? path, Config defaults) =>
        path is null ? own : Lend(own, WritePluginSection.ReadPayloads(path, all.GetConfig(path)), defaults);

    private static SettingReader Lend(SettingReader own, IEnumerable<LentSetting> said, Config defaults)
    {
        var hasOwnLayout = own.Text("table-mapping") != defaults.GetString("table-mapping");
        // What the section itself says goes before; saying the default is saying nothing.
        return own.With(said.Where(each =>
            own.Text(each.Key) == (defaults.GetString(each.Key) ?? "") && !(hasOwnLayout && each.Key.Contains('.', StringComparison.Ordinal))));
    }

    private static ConfigurationException Nowhere(SettingReader own, string why, WriteShards? shards) => new(shards is null
        ? $"'{own.NameOf("connection-string")}' is empty, and {why}. Write it as the database's driver has it, and 'provider-name' beside it."
        : $"'{own.NameOf("shards")}' is empty, and of the shards of '{shards.Path}' {why}. List the databases of all there as their driver has them, and 'provider-name' beside it.");
}

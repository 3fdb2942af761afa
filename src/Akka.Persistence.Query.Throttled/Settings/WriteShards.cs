using Akka.Configuration;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>What a sharded write journal is configured with: the write plugins that it is made of, and which slices each has.</summary>
/// <param name="Path">Where its section stands: the id of the plugin.</param>
/// <param name="Map">Which shard has which slices.</param>
/// <param name="Plugins">The path of the write plugin of each shard, in the order of the map.</param>
internal sealed record WriteShards(string Path, ShardMap Map, IReadOnlyList<string> Plugins)
{
    /// <summary>Where a sharded write journal stands that was given no other name.</summary>
    internal const string Identifier = "akka.persistence.journal.sharded-databases";

    private const string Class = "Akka.Persistence.Sharded.ShardedWriteJournal";
    private const string Assembly = "Akka.Persistence.Sharded";

    /// <summary>Whether a write plugin is a sharded one.</summary>
    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path of the write plugin; it need not be there.</param>
    internal static bool AreAt(Config all, string path)
    {
        if (!NamedSection.IsThere(all, path))
            return false;
        return all.GetString($"{path}.class") is { Length: > 0 } name
            ? name.Split(',', StringSplitOptions.TrimEntries) is [Class, Assembly, ..]
            : path == Identifier;
    }

    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path of the sharded write journal.</param>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static WriteShards Read(Config all, string path)
    {
        var settings = new SettingReader(path, NamedSection.IsThere(all, path) ? all.GetConfig(path) : Config.Empty);
        var plugins = PluginsOf(settings, all);
        RefuseAdapters(settings, [.. plugins.Select(plugin => new SettingReader(plugin, all.GetConfig(plugin)))]);
        return new(path, MapOf(settings, plugins.Count), plugins);
    }

    // The write plugin adapts its events, and reads only its own section. Settings that every shard repeats are harmless here.
    private static void RefuseAdapters(SettingReader settings, IReadOnlyList<SettingReader> shards)
    {
        foreach (var key in (string[])["event-adapters", "event-adapter-bindings"])
        {
            if (!shards.All(shard => settings.IsWithin(shard, key)))
                throw new ConfigurationException(
                    $"'{settings.NameOf(key)}' has entries that not every shard's section has; it must be left out, because the write plugin of each shard adapts its own events. "
                    + $"Write it in the section of each shard. One section may refer to another, as in event-adapters = ${{akka.persistence.journal.a.event-adapters}}.");
        }
    }

    private static List<string> PluginsOf(SettingReader settings, Config all)
    {
        var plugins = new List<string>();
        foreach (var plugin in settings.Texts("shards", "the paths of write plugins, one for each shard, as in [\"akka.persistence.journal.a\", \"akka.persistence.journal.b\"]"))
        {
            if (!NamedSection.IsThere(all, plugin))
                throw Wrong(plugin, "is no section of the configuration. Configure a write plugin there, or correct the path");
            if (AreAt(all, plugin))
                throw Wrong(plugin, "is a sharded journal itself. Name the write plugins that it is made of");
            if (plugins.Contains(plugin))
                throw Wrong(plugin, "stands there twice. Each shard is a journal of its own: give each a section with its own database");
            plugins.Add(plugin);
        }
        return plugins;

        ConfigurationException Wrong(string plugin, string fault) => new($"'{settings.NameOf("shards")}' has \"{plugin}\", which {fault}.");
    }

    private static ShardMap MapOf(SettingReader settings, int shards)
    {
        if (shards > JournalSlices.Count)
            throw new ConfigurationException(FormattableString.Invariant(
                $"'{settings.NameOf("shards")}' has {shards} shards; it must have at most {JournalSlices.Count}, one for each slice. Leave some out."));
        if (!settings.IsSet("slices"))
            return ShardMap.Even(shards);
        var slices = settings.Texts("slices", "a range of slices for each shard, as in [\"0-511\", \"512-1023\"]. Leave it out to divide them evenly");
        if (slices.Count != shards)
            throw new ConfigurationException(FormattableString.Invariant(
                $"'{settings.NameOf("slices")}' has {slices.Count} ranges and '{settings.NameOf("shards")}' {shards} shards; there must be one range for each shard. Leave 'slices' out to divide them evenly."));
        return Parsed(settings.NameOf("slices"), slices);
    }

    /// <summary>The map that has the slices of each shard.</summary>
    /// <param name="name">The setting's full name.</param>
    /// <param name="slices">The ranges, in the order of the shards.</param>
    /// <exception cref="ConfigurationException">They are none, or leave slices out or have some twice.</exception>
    internal static ShardMap Parsed(string name, IReadOnlyList<string> slices)
    {
        try
        {
            // Several in one text would give a shard two ranges and move those behind it.
            return slices.FirstOrDefault(each => each.Contains(',', StringComparison.Ordinal)) is { } several
                ? throw new ArgumentException($"The slices of a shard are \"{several}\"; they must be one range, like 0-255.")
                : ShardMap.Parse(string.Join(',', slices));
        }
        catch (ArgumentException error)
        {
            throw new ConfigurationException($"'{name}': {error.Message}", error);
        }
    }
}

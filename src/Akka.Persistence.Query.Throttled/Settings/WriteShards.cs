using Akka.Configuration;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>
/// The configuration of a sharded write journal: its path, which slices each shard has, and the path of the write plugin of
/// each shard, in the order of the map.
/// </summary>
internal sealed record WriteShards(string Path, ShardMap Map, IReadOnlyList<string> Plugins)
{
    /// <summary>The default path of a sharded write journal.</summary>
    internal const string Identifier = "akka.persistence.journal.sharded-databases";

    private const string Class = "Akka.Persistence.Sharded.ShardedWriteJournal";
    private const string Assembly = "Akka.Persistence.Sharded";

    /// <summary>Whether there is a sharded write plugin at a path.</summary>
    internal static bool AreAt(Config all, string path)
    {
        if (!NamedSection.IsThere(all, path))
            return false;
        return all.GetString($"{path}.class") is { Length: > 0 } name
            ? name.Split(',', StringSplitOptions.TrimEntries) is [Class, Assembly, ..]
            : path == Identifier;
    }

    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static WriteShards Read(Config all, string path)
    {
        var settings = new SettingReader(path, NamedSection.IsThere(all, path) ? all.GetConfig(path) : Config.Empty);
        var plugins = PluginsOf(settings, all);
        RefuseAdapters(settings, [.. plugins.Select(plugin => new SettingReader(plugin, all.GetConfig(plugin)))]);
        return new(path, MapOf(settings, plugins.Count), plugins);
    }

    // The write plugin of each shard adapts its events, and reads only its own section. Entries that every shard repeats are harmless.
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
                throw Wrong(plugin, "is not a section of the configuration. Configure a write plugin there, or correct the path");
            if (AreAt(all, plugin))
                throw Wrong(plugin, "is a sharded journal itself. Name the write plugins that it is made of");
            if (plugins.Contains(plugin))
                throw Wrong(plugin, "is listed twice. Each shard is a journal of its own: give each a section with its own database");
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

    /// <summary>The map with the given slices for each shard, in the order of the shards.</summary>
    /// <exception cref="ConfigurationException">A text is not a range of slices, or a slice is missing or occurs twice.</exception>
    internal static ShardMap Parsed(string name, IReadOnlyList<string> slices)
    {
        try
        {
            // Several ranges in one text would give one shard two ranges, and shift the shards after it.
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

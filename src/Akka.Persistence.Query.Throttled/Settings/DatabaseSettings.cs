using Akka.Configuration;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The settings that locate one database of a read journal and describe how events are stored there.</summary>
/// <param name="Settings">The section of the read journal, with settings taken from elsewhere.</param>
/// <param name="Given">The database that code gave; null if settings name it.</param>
/// <param name="WritePlugin">The path of the plugin that writes to it; null if there is none.</param>
/// <param name="Shard">Which shard it is; null if the journal is not divided.</param>
internal sealed record DatabaseSettings(SettingReader Settings, GivenDatabase? Given, string? WritePlugin, ShardIdentity? Shard);

/// <summary>The databases of a read journal: those that its section lists, those given in code, or those of its write plugin.</summary>
/// <param name="own">The section of the read journal.</param>
/// <param name="given">The databases that code gave; none if settings name them.</param>
/// <param name="writer">The path of the write plugin; null if there is none.</param>
/// <param name="written">The shards of the write plugin; null if it is not sharded.</param>
internal sealed class ReadShards(SettingReader own, IReadOnlyList<GivenDatabase> given, string? writer, WriteShards? written)
{
    private const string Shards = "shards";
    private const string Slices = "slices";
    private const string Connection = "connection-string";

    /// <summary>The database that code gave to a write plugin, by the plugin's path; null if the plugin's section names it.</summary>
    internal Func<string, GivenDatabase?> OfWritePlugin { get; init; } = _ => null;

    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>The databases in the order of the shards; one if the journal is not divided.</returns>
    internal IReadOnlyList<DatabaseSettings> In(Config all, Config defaults)
    {
        var listed = Listed();
        var map = MapOf(given.Count > 0 ? given.Count : listed.Count);
        return [.. Enumerable.Range(0, map?.Count ?? 1).Select(shard =>
        {
            var plugin = written?.Plugins[shard] ?? writer;
            var database = given.ElementAtOrDefault(shard) ?? (listed.Count == 0 && plugin is not null ? OfWritePlugin(plugin) : null);
            var settings = database?.ApplyTo(own) is { } overridden ? WritePlugin.InheritTables(overridden, database.KindBy(overridden), all, plugin, defaults)
                : listed.Count > 0 ? listed[shard]
                : WritePlugin.InheritDatabase(own, all, plugin, defaults, written);
            return new DatabaseSettings(settings, database, plugin, map is null ? null : new(map, shard));
        })];
    }

    /// <summary>The databases that the section itself names, checked as far as possible without the rest of the configuration.</summary>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal IReadOnlyList<SettingReader> Named()
    {
        var listed = Listed();
        if (listed.Count > 0)
            _ = MapOf(listed.Count);
        else if (own.HasList(Slices))
            _ = Divided();
        return listed.Count > 0 ? listed : [own];
    }

    private IReadOnlyList<SettingReader> Listed()
    {
        var hasConnection = own.Text(Connection).Length > 0;
        if (!own.HasList(Shards))
            return hasConnection ? [own] : [];
        var texts = own.Texts(Shards, "a list of connection strings, one for each shard. Leave it out to read where the write plugin writes");
        if (hasConnection && given.Count == 0)
            throw new ConfigurationException(
                $"'{own.NameOf(Connection)}' is set, but '{own.NameOf(Shards)}' lists the databases of all shards; it must be empty then. Leave it out.");
        var twice = Enumerable.Range(0, texts.Count).FirstOrDefault(shard => texts.Take(shard).Contains(texts[shard]));
        return twice == 0
            ? [.. texts.Select((text, shard) => own.With([new InheritedSetting(Connection, text, Numbered(shard))]))]
            : throw new ConfigurationException($"'{Numbered(twice)}' names the database of an earlier shard; each shard must have its own. Correct it, or leave it out.");
    }

    private string Numbered(int shard) => FormattableString.Invariant($"{own.NameOf(Shards)}[{shard}]");

    private ShardMap? MapOf(int listed)
    {
        if (!own.HasList(Shards) && !own.HasList(Slices) && listed <= 1 && written is null)
            return null;
        var databases = listed > 0 ? listed : written?.Plugins.Count ?? 1;
        CheckNumber(databases);
        var map = own.HasList(Slices) ? Divided() : written?.Map ?? ShardMap.Even(databases);
        CheckMap(map, databases);
        return map;
    }

    private void CheckNumber(int databases)
    {
        if (given.Count > 0 && own.HasList(Shards) && Listed().Count is var count && count != databases)
            throw new ConfigurationException(FormattableString.Invariant(
                $"{Subject(databases)}, but '{own.NameOf(Shards)}' lists {count}; there must be one data source for each shard. Leave '{Shards}' out."));
        if (databases > JournalSlices.Count)
            throw new ConfigurationException(FormattableString.Invariant($"{Subject(databases)}; there must be at most {JournalSlices.Count}, one for each slice. Leave some out."));
        if (written is not null && written.Map.Count != databases)
            throw Missing(Subject(databases), "Leave that out to read the write plugin's databases, give a database for each of its shards, or");
    }

    private void CheckMap(ShardMap map, int databases)
    {
        if (written is not null && !written.Map.Equals(map))
            throw Missing($"'{own.NameOf(Slices)}' divides the journal as \"{map}\"", $"Leave '{Slices}' out, or");
        if (map.Count != databases)
            throw new ConfigurationException(FormattableString.Invariant(
                $"{Subject(databases)}, and '{own.NameOf(Slices)}' has {Counted(map.Count, "range")}; there must be one range for each. Leave '{Slices}' out to divide them evenly."));
    }

    private ShardMap Divided() => WriteShards.Parsed(
        own.NameOf(Slices), own.Texts(Slices, "a range of slices for each shard, as in [\"0-511\", \"512-1023\"]. Leave it out to divide them evenly"));

    private string Subject(int databases) => FormattableString.Invariant((given.Count, own.HasList(Shards)) switch
    {
        ( > 0, _) => $"'{own.Path}' was given {Counted(databases, "data source")} in code",
        (_, true) => $"'{own.NameOf(Shards)}' lists {Counted(databases, "database")}",
        _ when databases == 1 && own.Text(Connection).Length > 0 => $"'{own.NameOf(Connection)}' names 1 database",
        _ => $"'{own.Path}' reads {Counted(databases, "database")}",
    });

    private static string Counted(int count, string what) => FormattableString.Invariant($"{count} {what}{(count == 1 ? "" : "s")}");

    private ConfigurationException Missing(string subject, string remedy) => new(
        FormattableString.Invariant($"{subject}, but the write plugin '{written!.Path}' has {written.Map.Count} shards, \"{written.Map}\": events would be missing. ")
        + $"{remedy} name in '{own.NameOf("write-plugin")}' the plugin that writes this journal.");
}

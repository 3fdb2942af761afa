using Akka.Configuration.Hocon;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The settings of a section that have no effect in this plugin.</summary>
/// <param name="OfOthers">Keys of the existing plugins' settings that have no effect here.</param>
/// <param name="Unknown">
/// Settings that do not exist, by their paths in the section. Each is in quotes and has the name that is likely meant.
/// </param>
internal sealed record UnusedSettings(IReadOnlyList<string> OfOthers, IReadOnlyList<string> Unknown)
{
    internal static UnusedSettings None { get; } = new([], []);

    /// <summary>Sections that have nearly the path of this one and that no read journal uses, because they have no <c>class</c>.</summary>
    internal IReadOnlyList<string> Strays { get; init; } = [];

    /// <summary>Whether the configuration has no such section.</summary>
    internal bool IsSectionMissing { get; init; }

    // Keys of the query and journal sections of Akka.Persistence.Sql and of the older plugins, and of Akka.NET itself.
    private static readonly HashSet<string> KeysOfOthers =
    [
        "add-shutdown-hook", "auto-initialize", "batch-size", "buffer-size", "circuit-breaker", "connection-string-name",
        "connection-timeout", "dao", "db-round-trip-max-batch-size", "db-round-trip-max-tag-batch-size",
        "delete-compatibility-mode", "event-adapter-bindings", "event-adapters", "initialization-retry-delay",
        "journal-sequence-retrieval", "materializer-dispatcher", "max-row-by-row-size", "metadata", "metadata-table-name",
        "parallelism", "plugin-dispatcher", "prefer-parameters-on-multirow-insert", "query-throttle-timeout",
        "read-isolation-level", "replay-batch-size", "sequential-access", "tag-write-mode", "tags-column-size",
        "tagtable-asqueryable-insert-max-parameters", "tagtable-asqueryable-insert-mode",
        "tagtable-asqueryable-insert-sql-length-limit", "timestamp-provider", "use-bigint-identity-for-ordering-column",
        "use-clone-connection", "use-constant-parameter-size", "use-writer-uuid-column", "warn-on-auto-init-fail",
        "write-isolation-level", "writer-uuid",
    ];

    // These keys need no default, and have the same meaning here as in the existing plugins.
    private static readonly HashSet<string> Silent = ["table-compatibility-mode"];

    internal static UnusedSettings Of(Config section, Config defaults)
    {
        var unused = Below(section.Root, defaults.Root, "").ToLookup(each => KeysOfOthers.Contains(each.Key));
        return new(
            [.. Sorted(unused[true].Select(each => each.Key))],
            [.. Sorted(unused[false].Select(each => each.Path)).Select(each => NearName.Suggest(each, Paths(defaults.Root, "")))]);
    }

    /// <exception cref="ConfigurationException">There is a setting or a section that has no effect, which is likely a mistake.</exception>
    internal void Refuse(string path)
    {
        if (Unknown.Count > 0)
            throw new ConfigurationException(
                $"'{path}' has settings that do not exist: {string.Join(", ", Unknown)}. Correct their names, leave them out, or set '{path}.strict' to off.");
        if (Strays.Count > 0)
            throw new ConfigurationException(
                $"{Quoted(Strays)}: no read journal uses this section, because it has no 'class'. Is '{path}' meant? Correct the path, add the 'class', or set '{path}.strict' to off.");
    }

    internal static string Quoted(IEnumerable<string> paths) => string.Join(", ", paths.Select(each => $"'{each}'"));

    /// <summary>A copy that also has the sections of the whole configuration whose paths are nearly this one.</summary>
    internal UnusedSettings In(Config all, string path) => this with
    {
        IsSectionMissing = !PluginPath.IsConfigured(all, path),
        Strays = [.. Sorted(PluginPath.Sections(all).Where(each => each != path && NearName.IsNear(each, path) && !all.HasPath($"{each}.class")))],
    };

    private static IEnumerable<string> Paths(HoconValue known, string path) => known.GetObject().Items.SelectMany(each =>
        each.Value.IsObject() ? Paths(each.Value, $"{path}{each.Key}.").Prepend(path + each.Key) : [path + each.Key]);

    private static IEnumerable<(string Key, string Path)> Below(HoconValue found, HoconValue known, string path)
    {
        foreach (var (key, value) in found.GetObject().Items)
        {
            var name = path + key;
            if (known.GetChildObject(key) is not { } child)
            {
                if (!Silent.Contains(name))
                    yield return (key, name);
            }
            else if (value.IsObject() && child.IsObject())
            {
                foreach (var unused in Below(value, child, $"{name}."))
                    yield return unused;
            }
        }
    }

    private static IEnumerable<string> Sorted(IEnumerable<string> names) => names.Distinct().Order(StringComparer.Ordinal);
}

/// <summary>Finds the name that a mistyped one is likely to mean.</summary>
internal static class NearName
{
    private const int MaxEdits = 3;

    /// <summary>A mistyped name, with the name that is likely meant.</summary>
    internal static string Suggest(string name, IEnumerable<string> known) =>
        known.Where(each => IsNear(name, each)).MinBy(each => Edits(name, each)) is { } near ? $"'{name}' (is '{near}' meant?)" : $"'{name}'";

    /// <summary>Whether two names differ by a few letters.</summary>
    internal static bool IsNear(string one, string other)
    {
        var most = Math.Min(MaxEdits, (other.Length + 1) / 3);
        return Math.Abs(one.Length - other.Length) <= most && Edits(one, other) <= most;
    }

    // Letters to insert, remove or replace (Levenshtein).
    private static int Edits(string one, string other)
    {
        int[] row = [.. Enumerable.Range(0, other.Length + 1)];
        for (var i = 1; i <= one.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= other.Length; j++)
            {
                var replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }
        return row[^1];
    }
}

using System.CommandLine;
using System.Globalization;
using Throttled.Journal;

namespace Tail.Settings;

/// <summary>From the command line to settings that fit together.</summary>
internal static class SettingsReading
{
    private const string Variable = "THROTTLED_POSTGRES";

    /// <exception cref="TailException">They do not.</exception>
    internal static TailSettings Read(ParseResult parsed)
    {
        var database = OneOf(TailOptions.Database, parsed, ["sqlite", "postgres"])
            ?? throw new TailException("--database is missing; it must be sqlite or postgres.");
        var tables = TablesReading.Read(parsed, database);
        var settings = new TailSettings
        {
            Database = database,
            Connection = Connection(parsed, database),
            Tables = tables,
            Selection = Select(parsed, tables),
            After = parsed.GetValue(TailOptions.After) ?? 0,
            Current = parsed.GetValue(TailOptions.Current),
            Resume = Named(TailOptions.Resume, parsed),
            Limit = parsed.GetValue(TailOptions.Limit) ?? long.MaxValue,
            Json = parsed.GetValue(TailOptions.Json),
            Full = parsed.GetValue(TailOptions.Full),
        };
        if (settings.Selection is Selection.Ids)
            RefusePositions(parsed);
        return settings;
    }

    /// <exception cref="TailException">It is there and empty.</exception>
    internal static string? Named(Option<string?> option, ParseResult parsed) => parsed.GetValue(option) is not { } value ? null
        : value.Length > 0 ? value
        : throw new TailException($"{option.Name} is ''; it must not be empty. Give a value, or leave it out.");

    /// <exception cref="TailException">It is there and none of these.</exception>
    internal static string? OneOf(Option<string?> option, ParseResult parsed, string[] allowed)
    {
        if (parsed.GetValue(option) is not { } value || allowed.Contains(value))
            return parsed.GetValue(option);
        throw new TailException($"{option.Name} is '{value}'; it must be {string.Join(", ", allowed[..^1])} or {allowed[^1]}.");
    }

    private static string Connection(ParseResult parsed, string database)
    {
        var given = Named(TailOptions.Connection, parsed);
        if (given is null && database == "postgres")
            given = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrWhiteSpace(given))
            return given;
        throw new TailException(database == "postgres"
            ? $"--connection is missing. Give \"Host=…;Username=…;Password=…;Database=…\", or set {Variable}."
            : "--connection is missing. Give \"Data Source=journal.db\", with the path of your journal.");
    }

    private static Selection Select(ParseResult parsed, JournalTables tables)
    {
        Option[] ways = [TailOptions.All, TailOptions.Tag, TailOptions.Id, TailOptions.Slices, TailOptions.Ids];
        var given = ways.Where(way => way is Option<bool> flag ? parsed.GetValue(flag) : parsed.GetResult(way) is not null).ToList();
        if (given.Count != 1)
        {
            var found = given.Count == 0 ? "Nothing says what to read" : $"{string.Join(" and ", given.Select(way => way.Name))} exclude each other";
            throw new TailException($"{found}; give exactly one of {string.Join(", ", ways.Select(way => way.Name))}.");
        }
        if (Named(TailOptions.Tag, parsed) is { } tag)
            return new Selection.WithTag(Checked(tag, tables));
        if (Named(TailOptions.Id, parsed) is { } id)
            return new Selection.OfId(id);
        if (parsed.GetValue(TailOptions.Slices) is { } slices)
            return Slices(slices);
        return parsed.GetValue(TailOptions.Ids) ? new Selection.Ids() : new Selection.All();
    }

    private static string Checked(string tag, JournalTables tables) =>
        tables.TagMode == TagMode.TagTable || !tag.Contains(tables.TagSeparator, StringComparison.Ordinal)
            ? tag
            : throw new TailException(
                $"--tag is '{tag}'; '{tables.TagSeparator}' stands between the tags of a column, so no event has such a tag. "
                + "Give another tag, or --tag-mode table.");

    private static Selection.OfSlices Slices(string text)
    {
        var ends = text.Split('-');
        if (ends.Length == 2 && TryParse(ends[0], out var min) && TryParse(ends[1], out var max) && min <= max && max < JournalSlices.Count)
            return new(min, max);
        throw new TailException($"--slices is '{text}'; it must be two slices from 0 to {JournalSlices.Count - 1}, the lower first, such as 0-255.");
    }

    private static bool TryParse(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);

    private static void RefusePositions(ParseResult parsed)
    {
        if (parsed.GetValue(TailOptions.After) is { } after)
            throw new TailException($"--after is {after}, and --ids has no positions: the ids come in no particular order. Leave --after out.");
        if (parsed.GetValue(TailOptions.Resume) is { } file)
            throw new TailException($"--resume is '{file}', and --ids has no positions: the ids come in no particular order. Leave --resume out.");
    }
}

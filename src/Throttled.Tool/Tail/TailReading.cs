using System.CommandLine;
using System.Globalization;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Reads the command line's options and checks that they fit together.</summary>
internal static class TailReading
{
    /// <exception cref="CommandException">An option is missing or invalid, or the options do not fit together.</exception>
    internal static TailSettings Read(ParseResult parsed)
    {
        var place = DatabaseOptions.Read(parsed, DatabaseOptions.Connection);
        var options = place.OptionsFor(parsed);
        var settings = new TailSettings
        {
            Database = place.Kind,
            Connection = Connection(place),
            Source = place.Source,
            Options = options,
            Selection = Select(parsed, options.Tables),
            After = parsed.GetValue(TailOptions.After) ?? 0,
            Current = parsed.GetValue(TailOptions.Current),
            RequireTable = parsed.GetValue(TailOptions.Current) || OptionText.Named(parsed, TableOptions.JournalTable) is not null,
            Resume = OptionText.Named(parsed, TailOptions.Resume),
            Limit = parsed.GetValue(TailOptions.Limit) ?? long.MaxValue,
            Json = parsed.GetValue(TailOptions.Json),
            Full = parsed.GetValue(TailOptions.Full),
            Decoder = PayloadDecoder.Read(parsed),
        };
        if (settings.Selection is Selection.Ids)
            RefuseOfEvents(parsed);
        return settings;
    }

    private static string Connection(DatabaseChoice place)
    {
        var (variable, form) = place.Kind switch
        {
            OptionText.Sqlite => (null, "\"Data Source=journal.db\", with the path of your journal."),
            OptionText.Postgres => (PostgreSqlServer.Variable, $"\"Host=…;Username=…;Password=…;Database=…\", or set {PostgreSqlServer.Variable}."),
            _ => (SqlServerAddress.Variable, $"\"Server=…;User ID=…;Password=…;Database=…\", or set {SqlServerAddress.Variable}."),
        };
        var given = place.Connection ?? (variable is null ? null : Environment.GetEnvironmentVariable(variable));
        return string.IsNullOrWhiteSpace(given) ? throw new CommandException($"--connection is missing. Give {form}") : given;
    }

    private static Selection Select(ParseResult parsed, JournalTables tables)
    {
        Option[] ways = [TailOptions.All, TailOptions.Tag, TailOptions.Id, TailOptions.Slices, TailOptions.Ids];
        var given = ways.Where(way => way is Option<bool> flag ? parsed.GetValue(flag) : parsed.GetResult(way) is not null).ToList();
        if (given.Count != 1)
        {
            var found = given.Count == 0 ? "No option says what to read" : $"{string.Join(" and ", given.Select(way => way.Name))} exclude each other";
            throw new CommandException($"{found}; give exactly one of {string.Join(", ", ways.Select(way => way.Name))}.");
        }
        if (OptionText.Named(parsed, TailOptions.Tag) is { } tag)
            return new Selection.WithTag(Checked(tag, tables));
        if (OptionText.Named(parsed, TailOptions.Id) is { } id)
            return new Selection.OfId(id);
        if (parsed.GetValue(TailOptions.Slices) is { } slices)
            return Slices(slices);
        return parsed.GetValue(TailOptions.Ids) ? new Selection.Ids() : new Selection.All();
    }

    private static string Checked(string tag, JournalTables tables) =>
        tables.TagMode == TagMode.TagTable || !tag.Contains(tables.TagSeparator, StringComparison.Ordinal)
            ? tag
            : throw new CommandException(
                $"--tag is '{tag}'; '{tables.TagSeparator}' separates the tags in a column, so no event has this tag. "
                + "Give another tag, or --tag-mode table.");

    private static Selection.OfSlices Slices(string text)
    {
        var ends = text.Split('-');
        if (ends.Length == 2 && TryParse(ends[0], out var min) && TryParse(ends[1], out var max) && min <= max && max < JournalSlices.Count)
            return new(min, max);
        throw new CommandException($"--slices is '{text}'; it must be two slices from 0 to {JournalSlices.Count - 1}, the lower first, such as 0-255.");
    }

    private static bool TryParse(string text, out int number) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);

    // Options that need events.
    private static void RefuseOfEvents(ParseResult parsed)
    {
        if (parsed.GetValue(TailOptions.After) is { } after)
            throw new CommandException($"--after is {after}, and --ids has no positions: the ids come in no particular order. Leave --after out.");
        if (parsed.GetValue(TailOptions.Resume) is { } file)
            throw new CommandException($"--resume is '{file}', and --ids has no positions: the ids come in no particular order. Leave --resume out.");
        if (OptionText.Named(parsed, PayloadDecoder.Option) is { } decoder)
            throw new CommandException($"--decoder is '{decoder}', and --ids prints no payloads. Leave --decoder out.");
    }
}

/// <summary>What to read, and how to show it.</summary>
internal sealed record TailSettings
{
    /// <summary>sqlite, postgres or sqlserver.</summary>
    public required string Database { get; init; }

    public required string Connection { get; init; }

    /// <summary>Where the connection string comes from, for messages.</summary>
    public required string Source { get; init; }

    /// <summary>The options with which the application opens the journal, as far as they are known.</summary>
    public required JournalOptions Options { get; init; }

    public JournalTables Tables => Options.Tables;

    public required Selection Selection { get; init; }

    /// <summary>The offset after which to begin; 0 for the first event.</summary>
    public long After { get; init; }

    /// <summary>Whether to end at the end of the journal.</summary>
    public bool Current { get; init; }

    /// <summary>Whether a missing table is an error. If not, the command waits for it. A table that the user named is probably misspelt.</summary>
    public bool RequireTable { get; init; }

    /// <summary>The file that keeps the offset; null for none.</summary>
    public string? Resume { get; init; }

    /// <summary>How many to print at most.</summary>
    public long Limit { get; init; } = long.MaxValue;

    /// <summary>Whether each line is a JSON object.</summary>
    public bool Json { get; init; }

    /// <summary>Whether lines are printed whole, however wide the terminal is.</summary>
    public bool Full { get; init; }

    /// <summary>The user's decoder of payloads; null for none.</summary>
    public PayloadDecoder? Decoder { get; init; }
}

using System.CommandLine;
using System.Globalization;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>Reads the command line's options and checks that they fit together.</summary>
internal static class MoveReading
{
    /// <exception cref="CommandException">An option is missing or invalid, or the options do not fit together.</exception>
    internal static MoveSettings Read(ParseResult parsed)
    {
        var database = OptionText.DatabaseOf(parsed);
        var from = Connections(parsed, ReshardOptions.From, "of the journal, or of each of its shards");
        var to = Connections(parsed, ReshardOptions.To, "of each new shard");
        return new(database, from, to, MapOf(parsed, to.Length) ?? ShardMap.Even(to.Length), Tables(parsed, database));
    }

    /// <summary>As <see cref="Read"/>, but the new databases need not be given.</summary>
    /// <exception cref="CommandException">An option is missing or invalid, or the options do not fit together.</exception>
    internal static MoveSettings ReadPlan(ParseResult parsed)
    {
        if (parsed.GetValue(ReshardOptions.To) is { Length: > 0 })
            return Read(parsed);
        var database = OptionText.DatabaseOf(parsed);
        var from = Connections(parsed, ReshardOptions.From, "of the journal, or of each of its shards");
        var map = Map(parsed) ?? throw new CommandException("--to, --slices and --shards are missing; give one of them, to say how many new shards there are.");
        return new(database, from, [], map, Tables(parsed, database));
    }

    /// <exception cref="CommandException">An option is missing or invalid.</exception>
    internal static (MoveSettings Settings, ShardIdentity Place) ReadMark(ParseResult parsed)
    {
        var database = OptionText.DatabaseOf(parsed);
        var on = OptionText.Named(parsed, ReshardOptions.On)
            ?? throw new CommandException("--on is missing; it must be the connection string of the database to mark.");
        var map = RequiredMap(parsed);
        var shard = Number(parsed, ReshardOptions.Shard, 0, map.Count - 1)
            ?? throw new CommandException("--shard is missing; it must be the number of the shard, from 0.");
        return (new(database, [], [on], map, Tables(parsed, database)), new(map, shard));
    }

    /// <exception cref="CommandException">Neither --slices nor --shards is given, both are, or the value is not a map.</exception>
    internal static ShardMap RequiredMap(ParseResult parsed) => Map(parsed)
        ?? throw new CommandException("--slices and --shards are missing; give one of them, as the application's configuration has it.");

    private static ShardMap? MapOf(ParseResult parsed, int count) => Map(parsed) is not { } map || map.Count == count ? Map(parsed) : throw new CommandException(
        $"--to is given {Times(count)}, but --slices is '{map}', which names {map.Count} shards; the numbers must be equal.");

    // Null if neither is given.
    private static ShardMap? Map(ParseResult parsed)
    {
        var slices = OptionText.Named(parsed, ReshardOptions.Slices);
        var shards = parsed.CommandResult.Command.Options.Contains(ReshardOptions.Shards) ? Number(parsed, ReshardOptions.Shards, 1, JournalSlices.Count) : null;
        if (slices is not null && shards is not null)
            throw new CommandException("--slices and --shards exclude each other; give one of them.");
        if (slices is null)
            return shards is { } count ? ShardMap.Even(count) : null;
        try
        {
            return ShardMap.Parse(slices);
        }
        catch (ArgumentException error)
        {
            throw new CommandException($"--slices is '{slices}': {error.Message}", error);
        }
    }

    private static int? Number(ParseResult parsed, Option<string?> option, int least, int most) =>
        parsed.GetValue(option) is not { } value ? null
        : int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= least && number <= most ? number
        : throw new CommandException($"{option.Name} is '{value}'; it must be a whole number from {least} to {most}.");

    // Beside each layout's journal there may be the table of highest sequence numbers of Akka.Persistence.Sql or of the older plugins.
    private static MovedTables Tables(ParseResult parsed, string database)
    {
        var given = OptionText.Named(parsed, ReshardOptions.MetadataTable);
        var standard = TableOptions.LayoutOf(parsed) switch
        {
            "default" or "sqlite" => "journal_metadata",
            "sql-server" => "Metadata",
            _ => "metadata",
        };
        return new(TableOptions.Read(parsed, database), given ?? standard, NeedsMetadata: given is not null);
    }

    private static string Times(int count) => count == 1 ? "once" : $"{count} times";

    private static string[] Connections(ParseResult parsed, Option<string[]> option, string what)
    {
        var given = parsed.GetValue(option) ?? [];
        if (given.Length is 0 or > JournalSlices.Count)
            throw new CommandException(
                $"{option.Name} is given {Times(given.Length)}; it must be given once for the connection string {what}, from 1 to {JournalSlices.Count} times.");
        if (given.Any(string.IsNullOrWhiteSpace))
            throw new CommandException($"{option.Name} is ''; it must be the connection string {what}.");
        return given;
    }
}

/// <summary>What to copy or verify. Connection strings are in the order of the shards; the map is that of the new ones.</summary>
internal sealed record MoveSettings(string Database, IReadOnlyList<string> From, IReadOnlyList<string> To, ShardMap Map, MovedTables Tables);

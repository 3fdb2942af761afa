using System.CommandLine;
using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>Reads the command line's options and checks that they fit together.</summary>
internal static class MoveReading
{
    /// <exception cref="SettingException">An option is missing or invalid, or the options do not fit together.</exception>
    internal static MoveSettings Read(ParseResult parsed)
    {
        var database = Database(parsed);
        var from = Connections(parsed, Options.From, "of the journal, or of each of its shards");
        var to = Connections(parsed, Options.To, "of each new shard");
        var map = OptionText.Map(parsed) ?? ShardMap.Even(to.Length);
        if (map.Count != to.Length)
            throw new SettingException(FormattableString.Invariant(
                $"--to is given {Times(to.Length)}, but --slices is '{map}', which are {map.Count} shards; they must be as many."));
        return new(database, from, to, map, TablesReading.Read(parsed, database));
    }

    /// <exception cref="SettingException">An option is missing or invalid.</exception>
    internal static (MoveSettings Settings, ShardIdentity Place) ReadMark(ParseResult parsed)
    {
        var database = Database(parsed);
        var on = OptionText.Named(parsed, Options.On)
            ?? throw new SettingException("--on is missing; it must be the connection string of the database to mark.");
        var map = OptionText.Map(parsed)
            ?? throw new SettingException("--slices and --shards are missing; give one of them, as the application's configuration has it.");
        var shard = OptionText.Number(parsed, Options.Shard, 0, map.Count - 1)
            ?? throw new SettingException("--shard is missing; it must be the number of the shard, from 0.");
        return (new(database, [], [on], map, TablesReading.Read(parsed, database)), new(map, shard));
    }

    private static string Database(ParseResult parsed) =>
        OptionText.OneOf(parsed, Options.Database, [MoveSettings.Sqlite, MoveSettings.Postgres])
        ?? throw new SettingException("--database is missing; it must be sqlite or postgres.");

    private static string Times(int count) => count == 1 ? "once" : FormattableString.Invariant($"{count} times");

    private static string[] Connections(ParseResult parsed, Option<string[]> option, string what)
    {
        var given = parsed.GetValue(option) ?? [];
        if (given.Length is 0 or > JournalSlices.Count)
            throw new SettingException(FormattableString.Invariant(
                $"{option.Name} is given {Times(given.Length)}; it must be given once for the connection string {what}, from 1 to {JournalSlices.Count} times."));
        if (given.Any(string.IsNullOrWhiteSpace))
            throw new SettingException($"{option.Name} is ''; it must be the connection string {what}.");
        return given;
    }
}

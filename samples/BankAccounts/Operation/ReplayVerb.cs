using System.CommandLine;
using System.CommandLine.Parsing;
using BankAccounts.History;
using BankAccounts.Replay;
using BankAccounts.Settings;

namespace BankAccounts.Operation;

/// <summary>Measures.</summary>
internal static class ReplayVerb
{
    private static readonly Option<int> Events = NumberOption.Create("--events", 1_000_000, (100, 100_000_000), "Events, as 1000000, 1000k or 1m");

    private static readonly Option<int?> Accounts =
        NumberOption.Optional("--accounts", "one for every ten events", (1, 10_000_000), "Accounts");

    private static readonly Option<int> Seed = NumberOption.Create("--seed", 1, (0, int.MaxValue), "Which of all such histories");

    private static readonly Option<int> Part =
        NumberOption.Create("--part", 20_000, (10, 100_000_000), "Events for the row with a transaction each; those with a statement each get ten times as many");

    private static readonly Option<int> Lanes = NumberOption.Create("--lanes", 8, (1, 1_024), "Lanes of the rows that have several");

    private static readonly Option<int> Rounds = NumberOption.Create("--rounds", 3, (1, 99), "Of the merging rows and their floors, in turn; the median counts");

    private static readonly Option<int[]> Batches = new("--batches")
    {
        Description = "Events in a batch of the last rows, separated by commas",
        HelpName = "N,N",
        DefaultValueFactory = _ => [2_000, 10_000, 50_000],
        CustomParser = ReadBatches,
    };

    private static readonly Option<bool> Json = new("--json") { Description = "Print the result as one JSON object, and nothing else" };

    internal static Command Create()
    {
        var command = new Command("replay", "Replays the same journal in one way after the other, and prints how fast each is. It keeps its journals for the next run, "
            + $"for sqlite in {OwnFiles.Folder}, for postgres in tables called bank_<events>x<accounts>; its read models are in a file or schema of their own, {ReplaySettings.Schema}, which is dropped.");
        foreach (var option in new Option[] { Events, Accounts, Seed, Part, Lanes, Rounds, Batches, Json })
            command.Options.Add(option);
        command.SetAction((parsed, cancellation) => CommandRun.RunAsync(
            async () => (await ReplayRun.RunAsync(Read(parsed), cancellation)).IsFlawless ? 0 : CommandRun.Wrong, cancellation));
        return command;
    }

    /// <exception cref="BankException">The options do not fit together.</exception>
    internal static ReplaySettings Read(ParseResult parsed)
    {
        var bank = BankOptions.Read(parsed);
        // What a replay makes it also removes.
        if (bank.Database == "sqlite" && (bank.Connection ?? bank.Journal) is not null)
            throw new BankException($"--{(bank.Connection is null ? "journal" : "connection")} is given, and replay on sqlite uses files of its own in {OwnFiles.Folder}. Leave it out.");
        var events = parsed.GetValue(Events);
        var accounts = parsed.GetValue(Accounts) ?? Math.Max(1, events / 10);
        if (accounts > events)
            throw new BankException($"--accounts is {accounts:N0}, and --events {events:N0}; each account has an event at least. Give fewer accounts.");
        return new()
        {
            Bank = bank,
            Shape = new() { Events = events, Accounts = accounts, Seed = parsed.GetValue(Seed) },
            Part = parsed.GetValue(Part),
            Lanes = parsed.GetValue(Lanes),
            Rounds = parsed.GetValue(Rounds),
            Batches = parsed.GetValue(Batches)!,
            Json = parsed.GetValue(Json),
        };
    }

    private static int[]? ReadBatches(ArgumentResult result)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        var numbers = text.Split(',').Select(NumberOption.Read).ToList();
        if (numbers.All(number => number is >= 1 and <= 100_000))
            return [.. numbers.Select(number => number!.Value)];
        result.AddError($"--batches is '{text}'; it must be whole numbers from 1 to 100,000 with commas between them. Leave it out for 2000,10000.");
        return null;
    }
}

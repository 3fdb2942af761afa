using System.CommandLine;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Gaps;

/// <summary>The command <c>journal</c>.</summary>
internal static class JournalCommand
{
    private const string About = """
        Prints the journal end, the high-water mark, the gaps near the end, and the transactions that may still fill them. It only reads.

        With --status, it also prints the queries, permits and waits of a process. If no database is given, it prints only these.
        Exit codes: 0 printed; 2 the journal or the process could not be read, or an option is wrong.
        """;

    private const int MostGaps = 10;

    private static readonly Option<int> Last = NumberOption.Create("--last", 10_000, (1, 1_000_000), "How many of the last orderings are searched for gaps; 10,000 by default");

    private static readonly Option<string?> Status = new("--status")
    {
        Description = "The address of the status of a process that has the page of Throttled.AspNetCore, such as http://localhost:5000/throttled/status",
        HelpName = "URL",
    };

    internal static Command Create() => CommandRun.Create("journal", About, [.. DatabaseOptions.OfJournal, .. TableOptions.All, Last, Status, JsonOutput.Option], RunAsync);

    private static async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var address = OptionText.Named(parsed, Status);
        var view = address is null || DatabaseOptions.IsGiven(parsed) ? await ReadAsync(parsed, cancellation) : null;
        var journals = address is null ? null : await new ProcessStatus(address).ReadAsync(cancellation);
        if (JsonOutput.IsWanted(parsed))
            await JsonOutput.WriteAsync(parsed, new
            {
                journalEnd = view?.End,
                view?.HighWaterMark,
                searchedFrom = view?.From,
                view?.Missing,
                view?.Gaps,
                view?.OpenTransactions,
                processJournals = journals,
            });
        else
            foreach (var line in (view is null ? [] : Lines(view)).Concat(journals is null ? [] : Lines(journals)))
                await parsed.InvocationConfiguration.Output.WriteLineAsync(Printable.OfLine(line));
        return 0;
    }

    private static Task<JournalView> ReadAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var place = DatabaseOptions.Read(parsed, DatabaseOptions.Connection);
        return new JournalReading(place, place.OptionsFor(parsed)).ReadAsync(parsed.GetValue(Last), cancellation);
    }

    private static IEnumerable<string> Lines(IReadOnlyList<ProcessJournal> journals) =>
        journals.Count == 0 ? ["journal          none is open in the process"] : journals.SelectMany(each => each.Lines());

    internal static IEnumerable<string> Lines(JournalView view)
    {
        yield return Invariant($"journal end      {view.End:N0}");
        yield return view switch
        {
            { HighWaterMark: { } mark } => Invariant($"high-water mark  {mark:N0}: no open transaction can commit an event at or below it"),
            { OpenTransactions: { } open } => Invariant($"high-water mark  not known: a reader that starts now waits for {open.Count:N0} open {(open.Count == 1 ? "transaction" : "transactions")}"),
            _ => "high-water mark  not known: this database does not report its open transactions",
        };
        yield return view.Gaps.Count == 0
            ? Invariant($"gaps             none from ordering {view.From:N0}")
            : Invariant($"gaps             {view.Missing:N0} missing from ordering {view.From:N0}: {Ranges(view)}. {Meaning(view)}");
        foreach (var transaction in view.OpenTransactions ?? [])
            yield return $"held by          {transaction}";
    }

    private static string Meaning(JournalView view) => view.OpenTransactions switch
    {
        null => "They may still be filled",
        { Count: 0 } => "Nothing can fill them: their events were rolled back or deleted",
        _ => "The transactions below may still fill them",
    };

    private static string Ranges(JournalView view)
    {
        var shown = view.Gaps.TakeLast(MostGaps).Select(gap => gap.First == gap.Last ? Invariant($"{gap.First:N0}") : Invariant($"{gap.First:N0} to {gap.Last:N0}"));
        return (view.Gaps.Count > MostGaps ? "…, " : "") + string.Join("; ", shown);
    }
}

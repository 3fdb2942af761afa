using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Gaps;

/// <summary>The command <c>journal</c>.</summary>
internal static class JournalCommand
{
    private const string About = """
        Prints the journal end, the high-water mark, the gaps near the end, and the transactions that may still fill them. It only reads.

        Exit codes: 0 printed; 2 the journal could not be read, or an option is wrong.
        """;

    private const int MostGaps = 10;

    private static readonly Option<int> Last = NumberOption.Create("--last", 10_000, (1, 1_000_000), "How many of the last orderings are searched for gaps; 10,000 by default");

    private static readonly Option<bool> Json = new("--json") { Description = "One JSON object" };

    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web) { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    internal static Command Create() => CommandRun.Create("journal", About, [.. DatabaseOptions.OfJournal, .. TableOptions.All, Last, Json], RunAsync);

    private static async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellation)
    {
        await using var journal = Open(parsed);
        JournalView view;
        try
        {
            view = await new GapSearch(journal, parsed.GetValue(Last)).ReadAsync(cancellation);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            throw new CommandException($"The journal cannot be read: {Sentence.Of(journal.ReasonOf(error))} Run 'throttled doctor'.", error);
        }
        var output = parsed.InvocationConfiguration.Output;
        if (parsed.GetValue(Json))
            await output.WriteLineAsync(JsonSerializer.Serialize(
                new { journalEnd = view.End, highWaterMark = view.HighWaterMark, searchedFrom = view.From, missing = view.Missing, gaps = view.Gaps, openTransactions = view.OpenTransactions }, Format));
        else
            foreach (var line in Lines(view))
                await output.WriteLineAsync(Printable.OfLine(line));
        return 0;
    }

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

    private static IJournalDatabase Open(ParseResult parsed)
    {
        var place = DatabaseOptions.Read(parsed, DatabaseOptions.Connection);
        var options = place.OptionsFor(parsed);
        return CommandException.OfConnection(
            () => place.Kind switch
            {
                OptionText.Sqlite => SqliteJournal.OpenDatabase(SqliteFile.ReadExisting(place.Source, place.Connection).ConnectionString, options),
                OptionText.Postgres => PostgreSqlJournal.OpenDatabase(PostgreSqlServer.Read(place.Source, place.Connection).ConnectionString, options),
                _ => SqlServerJournal.OpenDatabase(SqlServerAddress.Read(place.Source, place.Connection).ConnectionString, options),
            },
            place.Source);
    }
}

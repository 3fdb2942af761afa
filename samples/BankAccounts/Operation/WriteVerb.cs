using System.CommandLine;
using BankAccounts.Databases;
using BankAccounts.History;
using BankAccounts.Settings;
using Throttled.Journal;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Operation;

internal static class WriteVerb
{
    private const int EventsPerTransaction = 20_000;
    private const int TransactionsPerSecond = 10;

    private static readonly Option<int> Events = NumberOption.Create("--events", 1_000_000, (1, 100_000_000), "Events to append, as 1000000, 1000k or 1m");

    private static readonly Option<long?> Accounts =
        NumberOption.Optional("--accounts", "for one for every ten events", (1, 10_000_000), "The number of accounts; missing ones are opened first");

    private static readonly Option<long?> Rate = NumberOption.Optional("--rate", "for as fast as possible", (1, 1_000_000), "Events per second");
    private static readonly Option<int> Seed = NumberOption.Create("--seed", 1, (0, int.MaxValue), "The seed of the random history");

    private static readonly Option<double> Poison =
        ShareOption.Create("--poison", "The share of events that handlers refuse until they are run with --mended");

    internal static Command Create() => Verb.Create(
        "write", "Appends events to the journal, and creates it if it does not exist.", [Events, Accounts, Rate, Seed, Poison], RunAsync);

    private static async Task<int> RunAsync(VerbCall call)
    {
        await using var appender = call.Database.OpenAppender(BankTables.Own);
        await appender.CreateAsync(call.Cancellation);
        var history = new AccountHistory(Shape(call.Parsed), (await KnownAsync(call)).Values);
        var written = await AppendAsync(appender, history, (int?)call.Parsed.GetValue(Rate), call.Cancellation);
        Console.WriteLine($"{written:N0} events appended");
        return 0;
    }

    private static HistoryShape Shape(ParseResult parsed) => new()
    {
        Events = parsed.GetValue(Events),
        Accounts = (int?)parsed.GetValue(Accounts) ?? Math.Max(1, parsed.GetValue(Events) / 10),
        Seed = parsed.GetValue(Seed),
        Poison = parsed.GetValue(Poison),
    };

    private static async Task<Dictionary<string, Account>> KnownAsync(VerbCall call)
    {
        await using var journal = call.Database.OpenReader(new JournalOptions { Tables = BankTables.Own });
        return await Recomputation.OfAsync(journal, call.Cancellation);
    }

    private static async Task<long> AppendAsync(JournalAppender appender, AccountHistory history, int? rate, CancellationToken cancellation)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1.0 / TransactionsPerSecond));
        var written = 0L;
        try
        {
            foreach (var some in history.All().Chunk(rate is { } wanted ? Math.Max(1, wanted / TransactionsPerSecond) : EventsPerTransaction))
            {
                await appender.AppendAsync(some, cancellation);
                written += some.Length;
                for (var waits = rate is { } slow ? Math.Max(1, TransactionsPerSecond / slow) : 0; waits > 0; waits--)
                    await timer.WaitForNextTickAsync(cancellation);
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
        }
        return written;
    }
}

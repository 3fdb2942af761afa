using System.Text;

namespace Throttled.Databases.Tests.Contract;

/// <summary>
/// Each committed event comes exactly once and in order, while readers change between catching up and following. Meanwhile writers
/// commit, roll back, and commit late. Everything is drawn from a seed that is printed.
/// </summary>
public abstract class HandOverContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int QuickPhases = 3;

    /// <summary>How often the writers pause until the readers have everything.</summary>
    protected virtual int Phases => 10;

    [ContractFact]
    public Task Nothing_is_lost_or_doubled_between_catching_up_and_following() => RunAsync(rounds: 1, Math.Min(QuickPhases, Phases));

    [ContractFact]
    [Trait("Category", "Long")]
    public Task Nothing_is_lost_or_doubled_in_very_many_rounds() => RunAsync(LongShare.Of(60), Phases);

    private async Task RunAsync(int rounds, int phases)
    {
        for (var i = 0; i < rounds; i++)
            await RoundAsync(Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } seed ? int.Parse(seed) : Random.Shared.Next(), phases);
    }

    private async Task RoundAsync(int seed, int phases)
    {
        var random = new Random(seed);
        var layout = random.Next(3) == 0 ? "sqlite" : "default";
        var tags = random.Next(2) == 0 ? TagMode.Csv : TagMode.TagTable;
        Output.WriteLine($"Seed {seed}: {layout}, {tags}");
        await using var journal = await Host.NewJournalAsync(Layouts.Named(layout, tags));
        var writers = Enumerable.Range(0, 4).Select(i => new HandOverWriter(journal, random.Next(), i)).ToList();
        await using var readers = new HandOverReaders(seed, [.. writers.SelectMany(writer => writer.Ids)]);

        // A missed event comes late, with the next event of its id. So the writers pause repeatedly until the readers have everything.
        // Each time there is a new reader, because the start of a tail is most at risk.
        for (var phase = 0; phase < phases; phase++)
        {
            var reader = journal.OpenReader(Options(random));
            var writing = Task.WhenAll(writers.Select(writer => writer.RunAsync(transactions: 4)));
            await readers.OpenAsync(reader, until: writing);
            await writing.WithinAsync("the writers' end");
            await CheckAsync(journal, writers, readers);
        }

        readers.WakeUp();
        await CheckAsync(journal, writers, readers);
        // The last event of each id. A doubled event would have come before it.
        await Task.WhenAll(writers.Select(writer => writer.EndAsync()));
        await CheckAsync(journal, writers, readers);
    }

    // The writers know the committed events, and the database knows their order.
    private static async Task CheckAsync(JournalUnderTest journal, List<HandOverWriter> writers, HandOverReaders readers)
    {
        var committed = writers.SelectMany(writer => writer.Committed.Values).SelectMany(events => events).ToDictionary(TestEvents.TextOf);
        var rows = await journal.RowsAsync();
        Assert.Equal(committed.Count, rows.Count);
        await readers.CheckAsync([.. rows.Select(row => committed[Encoding.UTF8.GetString(row.Payload)].At(row.Ordering))]);
    }

    private static JournalOptions Options(Random random) => new()
    {
        MaxBufferSize = random.Next(1, 8),
        MaxConcurrentQueries = random.Next(1, 6),
        MaxQueriesPerStatement = random.Next(1, 20),
        MaxRowsPerStatement = random.Next(3, 60),
        MaxBufferedBytes = random.Next(2) == 0 ? 2_000 : 1_000_000,
        RefreshInterval = TimeSpan.FromMilliseconds(random.Next(1, 20)),
        MinPollInterval = TimeSpan.Zero,
    };
}

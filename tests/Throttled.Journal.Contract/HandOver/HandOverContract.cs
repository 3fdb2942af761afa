using Xunit.Abstractions;

namespace Throttled.Journal.Contract;

/// <summary>
/// Each committed event exactly once and in order, while the readers pass from catching up to following and back, beside writers
/// that commit, roll back, and commit late what they numbered early. Everything is drawn from a seed that is printed.
/// </summary>
public abstract class HandOverContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    [ContractFact]
    public Task Nothing_is_lost_or_doubled_between_catching_up_and_following() => RunAsync(rounds: 6);

    [ContractFact]
    [Trait("Category", "Long")]
    public Task Nothing_is_lost_or_doubled_in_very_many_rounds() => RunAsync(LongShare.Of(100));

    private async Task RunAsync(int rounds)
    {
        for (var i = 0; i < rounds; i++)
            await RoundAsync(Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } seed ? int.Parse(seed) : Random.Shared.Next());
    }

    private async Task RoundAsync(int seed)
    {
        var random = new Random(seed);
        var options = Options(random);
        var layout = random.Next(3) == 0 ? "sqlite" : "default";
        Output.WriteLine($"Seed {seed}: {layout}, pages of {options.MaxBufferSize}, {options.MaxQueriesPerStatement} to a statement, "
            + $"{options.MaxBufferedBytes} bytes, every {options.RefreshInterval.TotalMilliseconds:0} ms");
        await using var journal = await Host.NewJournalAsync(Layouts.Named(layout, random.Next(2) == 0 ? TagMode.Csv : TagMode.TagTable));
        var reader = journal.OpenReader(options);
        var writers = Enumerable.Range(0, 4).Select(i => new HandOverWriter(journal, random.Next(), i)).ToList();
        var ids = writers.SelectMany(writer => writer.Ids).ToList();
        await using var readers = new HandOverReaders(reader, ids, random.Next());

        var writing = Task.WhenAll(writers.Select(writer => writer.RunAsync(transactions: 40)));
        var opening = readers.OpenAsync(until: writing);
        await writing.WithinAsync("the writers' end");
        await opening.WithinAsync("the opening of the readers");
        readers.WakeUp();

        // The last event of each id, behind which a doubled one would have come.
        foreach (var writer in writers)
            await writer.EndAsync();
        foreach (var writer in writers)
        {
            foreach (var (id, committed) in writer.Committed)
                await readers.CheckAsync(id, committed, seed);
        }
    }

    private static JournalOptions Options(Random random) => new()
    {
        MaxBufferSize = random.Next(1, 8),
        MaxConcurrentQueries = random.Next(1, 6),
        MaxQueriesPerStatement = random.Next(1, 20),
        MaxRowsPerStatement = random.Next(3, 60),
        MaxBufferedBytes = random.Next(2) == 0 ? 2_000 : 1_000_000,
        RefreshInterval = TimeSpan.FromMilliseconds(random.Next(1, 20)),
        TailMinInterval = TimeSpan.Zero,
    };
}

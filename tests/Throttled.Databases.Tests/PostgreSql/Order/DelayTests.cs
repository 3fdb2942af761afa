using System.Diagnostics;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>How long a rolled back ordering delays the events above it.</summary>
[Collection(Contract.AloneCollection.Name)]
public sealed class DelayTests(Contract.PostgreSqlHost host, ITestOutputHelper output)
{
    private const int Rounds = 4;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    // Two intervals, and the delays of a busy machine.
    private static readonly TimeSpan Bound = (2 * Interval) + TimeSpan.FromSeconds(3);

    [PostgreSqlTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    [Trait("Category", "Long")]
    public async Task An_event_above_a_rolled_back_ordering_comes_soon_after_the_last_open_transaction(TagMode tags)
    {
        await using var journal = await host.NewJournalAsync(Layouts.Named("default", tags));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        var live = Enum.GetValues<Selection>().Select(selection => LiveReading.Of(reader.Read(selection, live: true))).ToList();
        await meter.UntilFollowingAsync(live.Count);
        List<TimeSpan> delays = [];
        for (var round = 1; round <= Rounds; round++)
            delays.Add(await DelayAsync(journal, meter, live, round));

        delays.Sort();
        output.WriteLine($"{tags}, interval {Interval.TotalMilliseconds:0} ms: median {delays[Rounds / 2].TotalMilliseconds:0} ms, "
            + $"most {delays[^1].TotalMilliseconds:0} ms.");
        Assert.True(delays[^1] <= Bound, $"{delays[^1].TotalMilliseconds:0} ms.");
        foreach (var reading in live)
            await reading.DisposeAsync();
    }

    private static async Task<TimeSpan> DelayAsync(
        JournalUnderTest journal, StatementMeter meter, List<LiveReading<JournalEvent>> live, int round)
    {
        await using var rolledBack = await journal.BeginAsync();
        await using var last = await journal.BeginAsync();
        await rolledBack.InsertAsync(Wanted("rolled back", round));
        await last.InsertAsync(Wanted("also rolled back", round));
        await journal.AppendAsync(Wanted("id-2", round));
        // After enough polls the tail knows the open transactions and polls at its longest interval.
        await meter.MoreAsync(8, "keys");
        await rolledBack.DisposeAsync();
        await meter.MoreAsync(1, "keys");
        Assert.All(live, reading => Assert.Equal(round - 1, reading.Count));
        // At a random time between two polls.
        await Task.Delay(Random.Shared.NextDouble() * Interval, TimeProvider.System);

        await last.DisposeAsync();
        var ended = Stopwatch.GetTimestamp();
        await Wait.UntilAsync(() => live.TrueForAll(reading => reading.Count == round), "the event above the orderings that never come");
        return Stopwatch.GetElapsedTime(ended);
    }

    // The id is in the slices, so that all selections match it.
    private static JournalEvent Wanted(string id, int number) => TestEvents.One(id, number).With(Selections.Tag);
}

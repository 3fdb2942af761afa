using System.Diagnostics;

namespace Throttled.Databases.Tests.Contract;

/// <summary>The cost of idle queries for the database does not depend on their number.</summary>
public abstract class IdleContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    // An interval is from start to start, so the poll in flight and a late one behind it may end at once. Among 20, the tolerance covers that.
    private const int Polls = 20;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(25);

    [ContractTheory]
    [InlineData(1)]
    [InlineData(100_000)]
    public async Task Any_number_of_idle_queries_costs_one_statement_an_interval(int queries)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("id-0", 1, 3);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        await using var crowd = new Crowd(reader, TestEvents.Ids("id", queries));

        await CostOneStatementAsync(meter, reader, queries);

        await journal.AppendAsync("id-0", 4, 1);
        await crowd.UntilAsync(4);
    }

    [ContractTheory]
    [InlineData(TagMode.TagTable)]
    [InlineData(TagMode.Csv)]
    public async Task Idle_queries_of_all_kinds_cost_one_statement_an_interval(TagMode tags)
    {
        var journal = await NewJournalAsync(tags);
        await journal.AppendAsync(Selections.Mixed(0, 50));
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        var kinds = Enumerable.Range(0, 200).SelectMany(i => OfAllKinds(reader, i)).ToList();
        var readings = kinds.ConvertAll(kind => LiveReading.Of(kind.Query));

        await CostOneStatementAsync(meter, reader, readings.Count);

        var before = readings.Sum(reading => reading.Count);
        JournalEvent[] more = [TestEvents.One("id-0", 1_000).With("tag-0"), TestEvents.One("new", 1).With("tag-1")];
        await journal.AppendAsync(more);
        var expected = kinds.Sum(kind => more.Count(kind.Wants));
        await Wait.UntilAsync(
            () => readings.Sum(reading => reading.Count) == before + expected,
            () => $"{expected} events; {readings.Sum(reading => reading.Count) - before} came");
        foreach (var reading in readings)
            await reading.DisposeAsync();
    }

    [ContractFact]
    public async Task Without_live_queries_there_is_no_statement()
    {
        var fast = new JournalOptions { RefreshInterval = TimeSpan.FromMilliseconds(1), MinPollInterval = TimeSpan.Zero };
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 3);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(fast));
        var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await live.UntilAsync(3);
        await meter.UntilFollowingAsync(1);
        await meter.MoreAsync(3, "keys");
        await live.DisposeAsync();
        await meter.UntilFollowingAsync(0);

        // One poll may have been running. A hundred polls of another reader measure the time in which no further poll may come.
        var (clock, other) = StatementMeter.Of(() => journal.OpenReader(fast));
        var polls = meter.Of("keys");
        await using var otherLive = LiveReading.Of(other.EventsByPersistenceId("a"));
        await clock.MoreAsync(100, "keys");

        Assert.InRange(meter.Of("keys"), polls, polls + 1);
    }

    private async Task CostOneStatementAsync(StatementMeter meter, JournalReader reader, int queries)
    {
        await meter.UntilFollowingAsync(queries);
        await meter.MoreAsync(2, "keys");
        // A query that followed before the tail had settled reads one more page. If locks are not visible, the tail settles after GapTimeout.
        await Wait.UntilAsync(
            async () => (await reader.CheckHealthAsync(CancellationToken.None)).All(each => each.HighWaterMarkStalledFor is null), () => "a high-water mark that is not stalled");
        await meter.UntilFollowingAsync(queries);

        // Polls end while these are read, so each kind is counted for itself.
        var (start, others, polls) = (Stopwatch.GetTimestamp(), meter.OtherThan("keys"), meter.Of("keys"));
        await meter.MoreAsync(Polls, "keys");
        var (keys, took) = (meter.Of("keys") - polls, Stopwatch.GetElapsedTime(start));

        Output.WriteLine($"{queries} idle queries: {keys} polls in {took.TotalMilliseconds:0} ms; {meter}.");
        Assert.Equal(others, meter.OtherThan("keys"));
        Assert.True(took >= (keys - 1) * Interval * 0.9, $"{keys} polls took {took.TotalMilliseconds:0} ms.");
    }

    private static IEnumerable<(IAsyncEnumerable<string> Query, Func<JournalEvent, bool> Wants)> OfAllKinds(JournalReader reader, int i) =>
    [
        (reader.AllEvents().Select(TestEvents.TextOf), _ => true),
        (reader.EventsByTag($"tag-{i}").Select(TestEvents.TextOf), each => each.Tags.Contains($"tag-{i}")),
        (reader.EventsBySlices(i, 1023).Select(TestEvents.TextOf), each => JournalSlices.Of(each.PersistenceId) >= i),
        (reader.EventsByPersistenceId($"id-{i}").Select(TestEvents.TextOf), each => each.PersistenceId == $"id-{i}"),
        (reader.PersistenceIds(), each => each.PersistenceId == "new"),
    ];
}

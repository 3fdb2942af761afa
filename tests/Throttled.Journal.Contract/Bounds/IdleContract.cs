using System.Diagnostics;
using Xunit.Abstractions;

namespace Throttled.Journal.Contract;

/// <summary>What idle queries cost the database does not depend on how many there are.</summary>
public abstract class IdleContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private const int Polls = 15;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    [ContractTheory]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(100_000)]
    public async Task Idle_queries_cost_one_statement_an_interval_however_many_they_are(int queries)
    {
        var journal = await NewJournalAsync();
        await journal.AppendAsync("id-0", 1, 3);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { RefreshInterval = Interval }));
        await using var crowd = new Crowd(reader, TestEvents.Ids("id", queries));
        await meter.UntilFollowingAsync(queries);
        await meter.MoreAsync("keys", 2);

        var (start, statements, polls) = (Stopwatch.GetTimestamp(), meter.Statements, meter.Of("keys"));
        await meter.MoreAsync("keys", Polls);
        var (took, all, keys) = (Stopwatch.GetElapsedTime(start), meter.Statements - statements, meter.Of("keys") - polls);

        Output.WriteLine($"{queries} idle queries: {all} statements in {took.TotalMilliseconds:0} ms.");
        Assert.Equal(keys, all);
        Assert.True(took >= (keys - 1) * Interval * 0.9, $"{keys} polls took {took.TotalMilliseconds:0} ms.");
        await journal.AppendAsync("id-0", 4, 1);
        await crowd.UntilAsync(4);
    }

    [ContractFact]
    public async Task Without_live_queries_there_is_no_statement()
    {
        var fast = new JournalOptions { RefreshInterval = TimeSpan.FromMilliseconds(1), TailMinInterval = TimeSpan.Zero };
        var journal = await NewJournalAsync();
        await journal.AppendAsync("a", 1, 3);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(fast));
        var live = LiveReading.Of(reader.EventsByPersistenceId("a"));
        await live.UntilAsync(3);
        await meter.UntilFollowingAsync(1);
        await meter.MoreAsync("keys", 3);
        await live.DisposeAsync();
        await meter.UntilFollowingAsync(0);

        // A poll may have been under way. A hundred polls of another reader tell the time in which there is no other.
        var (clock, other) = StatementMeter.Of(() => journal.OpenReader(fast));
        var polls = meter.Of("keys");
        await using var otherLive = LiveReading.Of(other.EventsByPersistenceId("a"));
        await clock.MoreAsync("keys", 100);

        Assert.InRange(meter.Of("keys"), polls, polls + 1);
    }
}

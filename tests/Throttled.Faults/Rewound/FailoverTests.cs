using System.Diagnostics;
using Throttled.Faults.World;

namespace Throttled.Faults.Rewound;

/// <summary>A standby replaces its primary.</summary>
[Collection(AloneCollection.Name)]
public sealed class FailoverTests(ITestOutputHelper output)
{
    private const int Before = 30;

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_failover_without_loss_costs_no_query_and_no_event()
    {
        await using var world = await FailoverWorld.StartAsync();
        await world.Journal.AppendAsync(Selections.Mixed(0, Before));
        var (states, there) = await EveryState.OpenAsync(world.Journal, Before);
        await using var closing = states;
        await world.UntilCaughtUpAsync();

        await world.FailOverAsync();
        var start = Stopwatch.GetTimestamp();
        await world.Journal.AppendAsync(Selections.Mixed(there, 20));

        await states.AllGoOnAsync(there + 20);
        var all = FaultTable.Seconds(Stopwatch.GetElapsedTime(start));
        FaultTable.Add(
            output, "failover without loss", "PostgreSQL", "all states", states.Count, (await world.Journal.RowsAsync()).Count - there,
            states.Lost(there + 20), states.Doubled, states.Failed, "-", all);
        Assert.Equal(0, states.Log.CountOf(18));
    }

    // After a promotion, a sequence continues up to 32 numbers above the last one that the standby knows, so lost numbers are not issued again.
    [PostgreSqlTheory]
    [InlineData(1, 0)]
    [InlineData(1, 5)]
    [InlineData(1, 60)]
    [InlineData(20, 5)]
    [InlineData(40, 0)]
    [InlineData(40, 7)]
    [InlineData(40, 100)]
    [Trait("Category", "Long")]
    public Task A_failover_that_loses_commits_ends_every_query(int lost, int written) => LoseAsync(lost, written);

    // All writes go through the server that is killed, so only prepared transactions survive.
    [PostgreSqlTheory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [Trait("Category", "Long")]
    public async Task A_promotion_during_a_gap_ends_open_transactions_and_keeps_prepared_ones(bool isPrepared, bool readsStandby)
    {
        await using var world = await FailoverWorld.StartAsync();
        if (readsStandby)
            world.Journal.ReaderConnectionString = world.AtStandby;
        await world.Journal.AppendAsync(Selections.Mixed(0, Before));
        await world.UntilCaughtUpAsync();
        // On a standby the first poll settles only after the grace period.
        var (meter, reader) = StatementMeter.Of(() => world.Journal.OpenReader(new() { GapTimeout = TimeSpan.FromSeconds(readsStandby ? 3 : 600) }));
        var readings = Enum.GetValues<Selection>().Select(selection => (selection, LiveReading.Of(reader.Read(selection, live: true)))).ToList();
        await meter.UntilFollowingAsync(readings.Count);
        await using var open = await world.Journal.BeginAsync();
        await open.InsertAsync(Wanted("id-0", 100));
        await world.Journal.AppendAsync(Wanted("id-0", 101));
        if (isPrepared)
            await open.RunAsync("PREPARE TRANSACTION 'open'");
        await world.UntilCaughtUpAsync();
        await meter.MoreAsync(5, "keys");
        Assert.All(readings, each => Assert.Equal(each.selection.Of(Selections.Mixed(0, Before)).Count, each.Item2.Count));

        await world.FailOverAsync();

        if (isPrepared)
        {
            await meter.MoreAsync(10, "keys");
            Assert.All(readings, each => Assert.Equal(each.selection.Of(Selections.Mixed(0, Before)).Count, each.Item2.Count));
            await world.Journal.ExecuteAsync("COMMIT PREPARED 'open'");
        }
        JournalEvent[] more = isPrepared ? [Wanted("id-0", 100), Wanted("id-0", 101)] : [Wanted("id-0", 101)];
        foreach (var (selection, reading) in readings)
        {
            var expected = selection.Of([.. Selections.Mixed(0, Before), .. more]);
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            await reading.DisposeAsync();
        }
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Deleting_all_events_of_an_id_around_a_failover_without_loss_is_no_rewind()
    {
        await using var world = await FailoverWorld.StartAsync();
        await world.Journal.AppendAsync(Selections.Mixed(0, Before));
        await world.Journal.AppendAsync(TestEvents.Of("newest", 1, 5));
        var (meter, reader) = StatementMeter.Of(() => world.Journal.OpenReader());
        await using var reading = LiveReading.Of(reader.AllEvents());
        await meter.UntilFollowingAsync(1);
        // Deleted before the next poll, or after it and long before the failover; both are no loss.
        await world.Journal.RemoveAsync("newest", 1, 5);
        await world.UntilCaughtUpAsync();
        await world.FailOverAsync();
        await world.Journal.AppendAsync("another", 1, 3);
        Assert.Equal(Before + 8, (await reading.UntilAsync(Before + 8)).Count);
    }

    private async Task LoseAsync(int lost, int written)
    {
        await using var world = await FailoverWorld.StartAsync();
        await world.Journal.AppendAsync(Selections.Mixed(0, Before));
        var (states, there) = await EveryState.OpenAsync(world.Journal, Before);
        await using var closing = states;
        await world.LoseFromNowOnAsync();
        await world.Journal.AppendAsync(Selections.Mixed(there, lost));
        await states.UntilSeenAsync(there + lost);

        await world.FailOverAsync();
        var start = Stopwatch.GetTimestamp();
        var left = await world.Journal.RowsAsync();
        // The new events differ from the lost ones. Equal events with the same orderings would be no detectable rewind.
        JournalEvent[] anew = Selections.Mixed(there + lost, written);
        if (written > 0)
            await world.Journal.AppendAsync(anew);

        await states.AllEndAsync();
        var all = FaultTable.Seconds(Stopwatch.GetElapsedTime(start));
        FaultTable.Add(
            output, $"failover that lost {there + lost - left.Count}", "PostgreSQL", "all states", states.Count,
            (await world.Journal.RowsAsync()).Count - left.Count, "-", states.Doubled, $"{states.Failed} (rewound)", "-", all);
        await ReopenedQueries.CheckAsync(world.Journal, states.Reader, left[^1].Ordering, anew);
    }

    private static JournalEvent Wanted(string id, int number) => TestEvents.One(id, number).With(Selections.Tag);
}

using Throttled.Projections.Databases;
using Throttled.Projections.Reads;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

public sealed class JournalReadTests : IAsyncDisposable
{
    private readonly ScriptedLaneStore _store = new();
    private readonly StreamedJournal _journal = new();
    private readonly Poison _poison = new();
    private readonly List<LaneWorker> _workers = [];

    [Fact]
    public async Task Lanes_with_close_offsets_share_one_read()
    {
        _journal.Add(20);
        var worker = Worker(lanes: 4);
        worker.Start(_store.LayOut(4), _store.Epoch);
        await HandledAsync(20);
        Assert.Equal(1, _journal.Opened);
        Assert.All(worker.Reports, report => Assert.Equal(LaneState.Running, report.State));
    }

    [Fact]
    public async Task A_lane_far_behind_has_a_read_of_its_own_until_it_has_caught_up()
    {
        _journal.Add(20);
        _journal.Add(20, from: ReadPlan.Spread * 2);
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, ReadPlan.Spread * 2 + 5);
        var blocked = new TaskCompletionSource();
        // While the clock does not move, no lane is excluded for being slow.
        var worker = Worker(lanes: 2, bytes: 1, clock: new FakeClock(), entered: batch => batch[0].Ordering < ReadPlan.Spread ? blocked.Task : Task.CompletedTask);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => _store.Locked(() => _store.OffsetOf(_journal.IdsOf(lanes[1].Slices)[0])) == ReadPlan.Spread * 2 + 19, "the other lane is not delayed");
        await Wait.UntilAsync(() => _journal.Open == 2, "both reads are open");
        blocked.SetResult();
        await Wait.UntilAsync(() => _store.Locked(() => _store.Offsets.All(row => row.Ordering >= ReadPlan.Spread * 2 + 15)), "the lane has caught up");
        await Wait.UntilAsync(() => { worker.Tick(); return _journal.Open == 1; }, "one read serves both");
        _journal.Add(10, from: ReadPlan.Spread * 2 + 50);
        await Wait.UntilAsync(() => _journal.Events.All(IsHandledOrPassed), "all are handled");
        Assert.Empty(_store.Breaches);

        bool IsHandledOrPassed(JournalEvent stored) => _store.Locked(() => _store.Effected.Contains(stored.Ordering)
            || (lanes[1].Slices.Contains(JournalSlices.Of(stored.PersistenceId)) && stored.Ordering <= ReadPlan.Spread * 2 + 5));
    }

    [Fact]
    public async Task A_slow_lane_loses_no_event_and_uses_no_memory_above_the_bound()
    {
        var maxInMemory = 0L;
        _journal.Add(60, bytes: 300_000);
        var worker = Worker(lanes: 2, bytes: 2_000_000, clock: new FakeClock(), entered: async batch =>
        {
            if (JournalSlices.Of(batch[0].PersistenceId) < 512)
                await Task.Yield();
            InterlockedMax(ref maxInMemory, _journal.Delivered - _store.Locked(() => _store.Effected.Count));
        });
        worker.Start(_store.LayOut(2), _store.Epoch);
        await HandledAsync(60);
        // A megabyte has four events. There is one megabyte for each lane, one that is about to be dispatched, and the next event.
        Assert.InRange(maxInMemory, 1, (2 * 4) + 4 + 1);
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task A_handler_that_does_not_return_blocks_its_own_lane_only()
    {
        var clock = new FakeClock();
        var blocked = new TaskCompletionSource();
        _journal.Add(200, bytes: 1_000);
        var lanes = _store.LayOut(2);
        var worker = Worker(lanes: 2, bytes: 8_000, clock: clock, entered: batch => lanes[0].Slices.Contains(JournalSlices.Of(batch[0].PersistenceId)) ? blocked.Task : Task.CompletedTask);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                worker.Tick();
                return worker.Reports[0].Error is not null && _store.Locked(() => _journal.IdsOf(lanes[1].Slices).All(id => _store.OffsetOf(id) == 200));
            },
            () => $"the other lane is done, and the blocked lane reports it; its report is {worker.Reports[0].Error}, and the offsets are "
                + string.Join(", ", _store.Locked(() => _store.Offsets.Select(row => row.Ordering).Distinct().ToList())));
        Assert.All(_store.Locked(() => _store.Effects.ToList()), stored => Assert.False(lanes[0].Slices.Contains(JournalSlices.Of(stored.PersistenceId))));
        Assert.StartsWith("one batch has taken ", worker.Reports[0].Error, StringComparison.Ordinal);
        blocked.SetResult();
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                worker.Tick();
                return _store.Locked(() => _store.Effects.Count) == 200;
            },
            "all are handled");
        Assert.Empty(_store.Breaches);
        Assert.Null(worker.Reports[0].Error);
    }

    [Theory]
    [InlineData("permission denied", false)]
    [InlineData("permission denied", true)]
    [InlineData("The journal cannot be read: permission denied", false)]
    public async Task A_journal_that_cannot_be_read_or_is_closed_is_read_again_and_reported_once(string fault, bool isClosed)
    {
        var clock = new FakeClock();
        _journal.Add(5);
        _journal.Fault = isClosed ? new ObjectDisposedException(null, fault) : new JournalException(fault);
        var worker = Worker(lanes: 1, clock: clock);
        worker.Start(_store.LayOut(1), _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports[0] is { State: LaneState.Retrying, Error: "The journal cannot be read: permission denied" }, "the lane reports it");
        _journal.Fault = null;
        await Wait.UntilAsync(() => { clock.Advance(TimeSpan.FromSeconds(1)); return _store.Locked(() => _store.Effects.Count) == 5; }, "all are handled");
        Assert.Equal((LaneState.Running, null), (worker.Reports[0].State, worker.Reports[0].Error));
    }

    [Fact]
    public async Task A_rewound_journal_fails_its_lanes_with_that_reason()
    {
        _journal.Fault = JournalRewoundException.At(7, "journal", null);
        var ended = new TaskCompletionSource();
        var worker = Worker(lanes: 2);
        worker.LaneEnded = () => ended.TrySetResult();
        worker.Start(_store.LayOut(2), _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports.All(report => report.State == LaneState.Failed), "the lanes fail");
        await ended.Task.WithinAsync("the end of the lanes is reported");
        Assert.All(worker.Reports, report => Assert.Contains("went back", report.Error, StringComparison.Ordinal));
        Assert.Equal(1, _journal.Opened);
    }

    [Fact]
    public async Task If_a_lane_is_ahead_of_the_last_issued_ordering_all_lanes_fail_before_an_event_is_handled()
    {
        _journal.Add(20);
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, 1000);
        var worker = Worker(lanes: 2, lastIssued: _ => Task.FromResult<long?>(20));
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports.All(report => report.State == LaneState.Failed), "the lanes fail");
        Assert.All(worker.Reports, report => Assert.Contains("up to ordering 1000, but this journal has issued orderings only up to 20:", report.Error, StringComparison.Ordinal));
        Assert.Equal((0, 0), (_journal.Opened, _store.Effects.Count));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1000L)]
    public async Task Lanes_run_if_they_are_at_the_last_issued_ordering_or_if_it_is_unknown(long? last)
    {
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, 1000);
        var worker = Worker(lanes: 2, lastIssued: _ => Task.FromResult(last));
        worker.Start(lanes, _store.Epoch);
        _journal.Add(20, from: 1001);
        await HandledAsync(20);
    }

    [Fact]
    public async Task The_last_issued_ordering_is_requested_until_the_journal_answers()
    {
        var requests = 0;
        _journal.Add(20);
        var lanes = _store.LayOut(1);
        _store.MoveElsewhere(lanes[0].Slices, 10);
        var worker = Worker(lanes: 1, lastIssued: _ => Interlocked.Increment(ref requests) < 3
            ? Task.FromException<long?>(new IOException("unavailable")) : Task.FromResult<long?>(20));
        worker.Start(lanes, _store.Epoch);
        await HandledAsync(10);
        Assert.Equal((3, 1, LaneState.Running), (requests, _journal.Opened, worker.Reports[0].State));
    }

    [Fact]
    public async Task A_lane_of_an_older_layout_takes_no_events_from_lanes_of_the_new_one()
    {
        var worker = Worker(lanes: 4);
        worker.Start([_store.LayOut(4)[1]], _store.Epoch);
        await Wait.UntilAsync(() => _journal.Open == 1, "the old lane has a read");
        worker.Start([_store.LayOut(1)[0]], _store.Epoch);
        await Wait.UntilAsync(() => _journal.Opened == 2, "both have a read");
        _journal.Add(100);
        Assert.NotEmpty(_journal.IdsOf(new(256, 511)));
        await Wait.UntilAsync(() => _store.Locked(() => _store.Offsets.All(row => row.Ordering == 100)), "the new lane is done");
        Assert.Equal(100, _store.Effects.Count);
    }

    [Fact]
    public async Task A_restarted_lane_is_read_for_from_its_stored_offset()
    {
        _journal.Add(20);
        _poison.Set(7, PoisonKind.Throws);
        var worker = Worker(lanes: 1);
        var lanes = _store.LayOut(1);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports[0].State == LaneState.Failed, "the lane fails");
        Assert.Equal(6, _store.Locked(() => _store.Effects.Count));
        _poison.Repair();
        worker.Start(lanes, _store.Epoch);
        await HandledAsync(20);
        Assert.Empty(_store.Breaches);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var worker in _workers)
            await worker.DisposeAsync();
        Assert.Equal(0, _journal.Open);
    }

    private Task HandledAsync(int events) => Wait.UntilAsync(() => _store.Locked(() => _store.Effects.Count) == events, "all are handled");

    private LaneWorker Worker(
        int lanes, long bytes = 1_000_000, Func<ProjectionBatch, Task>? entered = null, TimeProvider? clock = null,
        Func<CancellationToken, Task<long?>>? lastIssued = null)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Lanes = lanes, BatchSize = clock is null ? 5 : 1, MaxAttempts = 2, MaxBufferedBytes = bytes, Decoder = _poison.Decode,
            TimeProvider = clock ?? new ImmediateClock(),
        };
        var handler = new ScriptedBatchHandler(_store, _poison) { Entered = (batch, _) => entered?.Invoke(batch) ?? Task.CompletedTask };
        var worker = new LaneWorker(
            [Make.Shard(_journal.Read) with { LastIssued = lastIssued ?? (_ => Task.FromResult<long?>(null)) }], Make.Context(handler, options, _store));
        _workers.Add(worker);
        return worker;
    }

    private static void InterlockedMax(ref long max, long value)
    {
        for (var seen = Volatile.Read(ref max); value > seen; seen = Volatile.Read(ref max))
            Interlocked.CompareExchange(ref max, value, seen);
    }
}

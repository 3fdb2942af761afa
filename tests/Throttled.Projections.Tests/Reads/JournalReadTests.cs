using Throttled.Journal;
using Throttled.Projections.Databases;
using Throttled.Projections.Reads;
using Throttled.Projections.Tests.Lanes;
using Throttled.Testing;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

public sealed class JournalReadTests : IAsyncDisposable
{
    private readonly ScriptedLaneStore _store = new();
    private readonly StreamedJournal _journal = new();
    private readonly Poison _poison = new();
    private readonly List<LaneWorker> _workers = [];

    [Fact]
    public async Task Lanes_that_stand_together_are_read_for_once()
    {
        _journal.Add(20);
        var worker = Worker(lanes: 4);
        worker.Start(_store.LayOut(4), _store.Epoch);
        await HandledAsync(20);
        Assert.Equal(1, _journal.Opened);
        Assert.All(worker.Reports, report => Assert.Equal(LaneState.Running, report.State));
    }

    [Fact]
    public async Task A_lane_far_behind_has_a_read_of_its_own_until_it_is_level()
    {
        _journal.Add(20);
        _journal.Add(20, from: ReadPlan.Spread * 2);
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, ReadPlan.Spread * 2 + 5);
        var held = new TaskCompletionSource();
        // On a clock that stands, nobody is left out for being slow.
        var worker = Worker(lanes: 2, bytes: 1, clock: new FakeClock(), entered: batch => batch[0].Ordering < ReadPlan.Spread ? held.Task : Task.CompletedTask);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => _store.Locked(() => _store.OffsetOf(_journal.IdsOf(lanes[1].Slices)[0])) == ReadPlan.Spread * 2 + 19, "the other lane is not kept");
        Assert.Equal(2, _journal.Open);
        held.SetResult();
        await Wait.UntilAsync(() => _store.Locked(() => _store.Offsets.All(row => row.Ordering >= ReadPlan.Spread * 2 + 15)), "the lane is level");
        await Wait.UntilAsync(() => { worker.Tick(); return _journal.Open == 1; }, "one read serves both");
        _journal.Add(10, from: ReadPlan.Spread * 2 + 50);
        await Wait.UntilAsync(() => _journal.Events.All(IsHandledOrPassed), "all are handled");
        Assert.Empty(_store.Breaches);

        bool IsHandledOrPassed(JournalEvent stored) => _store.Locked(() => _store.Effected.Contains(stored.Ordering)
            || (lanes[1].Slices.Contains(JournalSlices.Of(stored.PersistenceId)) && stored.Ordering <= ReadPlan.Spread * 2 + 5));
    }

    [Fact]
    public async Task A_lane_that_is_slow_costs_no_event_and_no_memory_above_the_bound()
    {
        var most = 0L;
        _journal.Add(60, bytes: 300_000);
        var worker = Worker(lanes: 2, bytes: 2_000_000, clock: new FakeClock(), entered: async batch =>
        {
            if (JournalSlices.Of(batch[0].PersistenceId) < 512)
                await Task.Yield();
            InterlockedMax(ref most, _journal.Delivered - _store.Locked(() => _store.Effected.Count));
        });
        worker.Start(_store.LayOut(2), _store.Epoch);
        await HandledAsync(60);
        // A megabyte is four events: one for each lane, one that is about to be handed out, and the event behind it.
        Assert.InRange(most, 1, (2 * 4) + 4 + 1);
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task A_handler_that_does_not_come_back_keeps_its_own_lane_and_no_other()
    {
        var clock = new FakeClock();
        var held = new TaskCompletionSource();
        _journal.Add(200, bytes: 1_000);
        var lanes = _store.LayOut(2);
        var worker = Worker(lanes: 2, bytes: 8_000, clock: clock, entered: batch => lanes[0].Slices.Contains(JournalSlices.Of(batch[0].PersistenceId)) ? held.Task : Task.CompletedTask);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                worker.Tick();
                return worker.Reports[0].Error is not null && _store.Locked(() => _journal.IdsOf(lanes[1].Slices).All(id => _store.OffsetOf(id) == 200));
            },
            () => $"the other lane is through, and the one that is held has said so; it says {worker.Reports[0].Error}, and the offsets are "
                + string.Join(", ", _store.Locked(() => _store.Offsets.Select(row => row.Ordering).Distinct().ToList())));
        Assert.All(_store.Locked(() => _store.Effects.ToList()), stored => Assert.False(lanes[0].Slices.Contains(JournalSlices.Of(stored.PersistenceId))));
        Assert.StartsWith("a batch has been in hand for ", worker.Reports[0].Error, StringComparison.Ordinal);
        held.SetResult();
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
    public async Task A_journal_that_cannot_be_read_or_is_closed_is_read_again_and_said_so_once(string fault, bool isClosed)
    {
        var clock = new FakeClock();
        _journal.Add(5);
        _journal.Fault = isClosed ? new ObjectDisposedException(null, fault) : new JournalException(fault);
        var worker = Worker(lanes: 1, clock: clock);
        worker.Start(_store.LayOut(1), _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports[0] is { State: LaneState.Retrying, Error: "The journal cannot be read: permission denied" }, "it says so");
        _journal.Fault = null;
        await Wait.UntilAsync(() => { clock.Advance(TimeSpan.FromSeconds(1)); return _store.Locked(() => _store.Effects.Count) == 5; }, "all are handled");
        Assert.Equal((LaneState.Running, null), (worker.Reports[0].State, worker.Reports[0].Error));
    }

    [Fact]
    public async Task A_journal_that_went_back_fails_its_lanes_with_that_reason()
    {
        _journal.Fault = JournalRewoundException.At(7, "journal", null);
        var ended = new TaskCompletionSource();
        var worker = Worker(lanes: 2);
        worker.LaneEnded = () => ended.TrySetResult();
        worker.Start(_store.LayOut(2), _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports.All(report => report.State == LaneState.Failed), "the lanes fail");
        await ended.Task.WithinAsync("it is told");
        Assert.All(worker.Reports, report => Assert.Contains("went back", report.Error, StringComparison.Ordinal));
        Assert.Equal(1, _journal.Opened);
    }

    [Fact]
    public async Task Lanes_of_which_one_is_ahead_of_all_that_the_journal_gave_out_fail_before_an_event_is_handled()
    {
        _journal.Add(20);
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, 1000);
        var worker = Worker(lanes: 2, lastIssued: _ => Task.FromResult<long?>(20));
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports.All(report => report.State == LaneState.Failed), "the lanes fail");
        Assert.All(worker.Reports, report => Assert.Contains("up to ordering 1000, but the highest one that this journal ever issued is 20:", report.Error, StringComparison.Ordinal));
        Assert.Equal((0, 0), (_journal.Opened, _store.Effects.Count));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1000L)]
    public async Task Lanes_at_the_last_number_or_of_a_journal_that_cannot_tell_run(long? last)
    {
        var lanes = _store.LayOut(2);
        _store.MoveElsewhere(lanes[1].Slices, 1000);
        var worker = Worker(lanes: 2, lastIssued: _ => Task.FromResult(last));
        worker.Start(lanes, _store.Epoch);
        _journal.Add(20, from: 1001);
        await HandledAsync(20);
    }

    [Fact]
    public async Task A_journal_that_does_not_say_what_it_gave_out_is_asked_until_it_does()
    {
        var asked = 0;
        _journal.Add(20);
        var lanes = _store.LayOut(1);
        _store.MoveElsewhere(lanes[0].Slices, 10);
        var worker = Worker(lanes: 1, lastIssued: _ => Interlocked.Increment(ref asked) < 3
            ? Task.FromException<long?>(new IOException("away")) : Task.FromResult<long?>(20));
        worker.Start(lanes, _store.Epoch);
        await HandledAsync(10);
        Assert.Equal((3, 1, LaneState.Running), (asked, _journal.Opened, worker.Reports[0].State));
    }

    [Fact]
    public async Task A_lane_of_an_older_layout_takes_no_events_from_those_of_the_new_one()
    {
        var worker = Worker(lanes: 4);
        worker.Start([_store.LayOut(4)[1]], _store.Epoch);
        await Wait.UntilAsync(() => _journal.Open == 1, "the old lane is read for");
        worker.Start([_store.LayOut(1)[0]], _store.Epoch);
        await Wait.UntilAsync(() => _journal.Opened == 2, "both are read for");
        _journal.Add(100);
        Assert.NotEmpty(_journal.IdsOf(new(256, 511)));
        await Wait.UntilAsync(() => _store.Locked(() => _store.Offsets.All(row => row.Ordering == 100)), "the new lane is through");
        Assert.Equal(100, _store.Effects.Count);
    }

    [Fact]
    public async Task A_failed_lane_that_is_started_again_is_read_for_again_from_where_it_stood()
    {
        _journal.Add(20);
        _poison.Set(7, PoisonKind.Throws);
        var worker = Worker(lanes: 1);
        var lanes = _store.LayOut(1);
        worker.Start(lanes, _store.Epoch);
        await Wait.UntilAsync(() => worker.Reports[0].State == LaneState.Failed, "the lane fails");
        Assert.Equal(6, _store.Locked(() => _store.Effects.Count));
        _poison.Mend();
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

    private static void InterlockedMax(ref long most, long value)
    {
        for (var seen = Volatile.Read(ref most); value > seen; seen = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, seen);
    }
}

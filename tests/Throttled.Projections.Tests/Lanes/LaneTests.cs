using System.Collections.Concurrent;
using Throttled.Projections.Databases;
using Throttled.Projections.Lanes;
using Throttled.Projections.Offsets;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Lanes;

public sealed class LaneTests : IAsyncDisposable
{
    private readonly ScriptedLaneStore _store = new();
    private readonly Poison _poison = new();
    private readonly TaskCompletionSource _entered = new();
    private readonly TaskCompletionSource _released = new();
    private readonly List<Lane> _lanes = [];
    private int _ends;

    [Fact]
    public async Task A_stopping_lane_finishes_the_batch_in_hand()
    {
        var lane = await StartAsync(Wait);
        Feed(lane, 1);
        await _entered.Task.WithinAsync("the handler has the batch");
        var stopping = lane.StopAsync(default);
        Assert.False(stopping.IsCompleted);
        _released.SetResult();
        await stopping.WithinAsync("the lane stops");
        Assert.Equal([1], Effects);
        Assert.Equal(LaneEnding.Stopped, lane.Ending);

        async Task Wait(ProjectionBatch batch, CancellationToken cancellation)
        {
            _entered.TrySetResult();
            await _released.Task;
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_aborted_lane_rolls_the_batch_in_hand_back_whatever_its_driver_throws(bool throwsCancelled)
    {
        using var abort = new CancellationTokenSource();
        var lane = await StartAsync(Wait);
        Feed(lane, 1);
        await _entered.Task.WithinAsync("the handler has the batch");
        var stopping = lane.StopAsync(abort.Token);
        await abort.CancelAsync();
        await stopping.WithinAsync("the lane stops");
        Assert.Empty(_store.Effects);
        Assert.Equal(LaneEnding.Stopped, lane.Ending);

        async Task Wait(ProjectionBatch batch, CancellationToken cancellation)
        {
            _entered.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellation).ContinueWith(
                _ => throw (throwsCancelled ? new OperationCanceledException(cancellation) : new ReadModelFault("cancelled", false)), TaskScheduler.Default);
        }
    }

    [Fact]
    public async Task A_lane_between_two_attempts_stops_at_once()
    {
        var clock = new FakeClock();
        _poison.Set(1, PoisonKind.Throws);
        var lane = await StartAsync(clock: clock);
        Feed(lane, 1);
        await Wait.UntilAsync(() => clock.Set > 0, "the lane waits for its next attempt");
        await lane.StopAsync(default).WithinAsync("the lane stops");
        Assert.Equal(LaneEnding.Stopped, lane.Ending);
        Assert.Empty(_store.Effects);
    }

    [Fact]
    public async Task A_lane_reports_an_unavailable_store_and_runs_again_when_it_is_available()
    {
        var clock = new FakeClock();
        _store.Fate = call => call == StoreCall.Begin ? CallFate.Fails : CallFate.Done;
        var lane = await StartAsync(clock: clock);
        Feed(lane, 1);
        await Wait.UntilAsync(() => lane.Health.State.State == LaneState.Retrying, "the lane waits for the store");
        Assert.Equal((LaneState.Retrying, "Begin failed"), lane.Health.State);
        _store.Fate = _ => CallFate.Done;
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                return lane.Health.State.State == LaneState.Running && lane.Health.Handled == 1;
            },
            "the event is handled");
        Assert.Equal((LaneState.Running, null), lane.Health.State);
    }

    [Fact]
    public async Task A_failed_lane_handles_no_more_events_but_executes_commands_and_stays_failed()
    {
        var lane = await FailedAsync();
        Feed(lane, 3);
        var faults = 0;
        _store.Fate = call => call == StoreCall.Begin && faults++ == 0 ? CallFate.Fails : CallFate.Done;
        lane.Give([new(1, "balances", CommandVerb.Discard) { PersistenceId = "a" }]);
        await Wait.UntilAsync(() => _store.Command(1).State == CommandState.Refused, "the command is executed");
        Assert.Equal(2, faults);
        Assert.Equal(LaneState.Failed, lane.Health.State.State);
        Assert.Equal("The event a 2 (2) failed (poison)", lane.Health.State.Error);
        Assert.Equal([1], Effects);
        Assert.Equal(1, _ends);
    }

    [Fact]
    public async Task A_restarted_lane_continues_where_its_failed_run_stopped()
    {
        var before = await FailedAsync();
        _poison.Repair();
        var lane = await StartAsync(before: before);
        Feed(lane, 1, 2, 3);
        await Wait.UntilAsync(() => lane.Health.Handled == 2, "the others are handled");
        Assert.Equal([1, 2, 3], Effects);
        Assert.Empty(_store.Breaches);
    }

    [Fact]
    public async Task A_fenced_lane_writes_nothing_and_takes_no_more_events()
    {
        var lane = await StartAsync();
        _store.MoveElsewhere(lane.Slices, 1);
        Feed(lane, 1, 2);
        await Wait.UntilAsync(() => lane.Ending == LaneEnding.Fenced, "the lane is fenced");
        await lane.StopAsync(default).WithinAsync("it has ended");
        Assert.Empty(_store.Effects);
        Assert.True(lane.Queue!.IsClosed);
        lane.Give([new(1, "balances", CommandVerb.Retry) { PersistenceId = "a" }]);
        Assert.Equal(CommandState.Waiting, _store.Command(1).State);
        Assert.Equal(1, _ends);
    }

    [Fact]
    public async Task A_lane_of_another_epoch_is_fenced_at_its_start()
    {
        var lane = Make(epoch: 77);
        lane.Start(null);
        await Wait.UntilAsync(() => lane.Ending == LaneEnding.Fenced, "the lane is fenced");
        Assert.Null(lane.Queue);
    }

    [Fact]
    public async Task A_command_that_is_given_again_after_its_end_is_executed_once()
    {
        var lane = await StartAsync();
        var command = new CommandRow(1, "balances", CommandVerb.Retry) { PersistenceId = "a" };
        lane.Give([command]);
        await Wait.UntilAsync(() => _store.Command(1).State == CommandState.Refused, "the command is executed");
        // The tables were read before the end of the first.
        lane.Give([command, command with { Id = 2 }]);
        await Wait.UntilAsync(() => _store.Command(2).State == CommandState.Refused, "the second is executed");
        Assert.Equal(LaneEnding.None, lane.Ending);
    }

    [Fact]
    public async Task Among_a_thousand_retries_that_fail_neither_events_nor_a_discard_nor_a_stop_wait_for_the_others()
    {
        for (var ordering = 1; ordering <= 1_000; ordering++)
        {
            _poison.Set(ordering, PoisonKind.Throws);
            _store.Seed(new(Lanes.Make.Event(ordering, $"id-{ordering}"), "poison", 1));
        }
        var (handled, gate) = (new ConcurrentQueue<long>(), new SemaphoreSlim(0));
        var lane = await StartAsync((batch, abort) =>
        {
            handled.Enqueue(batch[0].Ordering);
            return gate.WaitAsync(abort);
        });
        List<CommandRow> retries = [.. Enumerable.Range(1, 1_000).Select(number => new CommandRow(number, "balances", CommandVerb.Retry) { PersistenceId = $"id-{number}" })];
        lane.Give(retries);
        await Wait.UntilAsync(() => handled.Count == 1, "the first retry is being executed");
        Feed(lane, 1_001);
        await Wait.UntilAsync(() => lane.HasWaitingBatch, "the event waits for the lane");
        lane.Give([new(2_000, "balances", CommandVerb.Discard) { PersistenceId = "id-900" }, .. retries]);

        while (!handled.Contains(1_001) || _store.Command(2_000).State != CommandState.Done)
        {
            var before = handled.Count;
            Assert.InRange(before, 1, 20);
            gate.Release();
            await Wait.UntilAsync(() => handled.Count > before, "the next one");
        }
        Assert.Equal((CommandState.Refused, CommandState.Waiting), (_store.Command(1).State, _store.Command(900).State));
        var stop = lane.StopAsync(default);
        gate.Release();
        await stop.WithinAsync("the lane stops after the one in hand");
        Assert.InRange(handled.Count, 2, 21);
    }

    [Fact]
    public async Task A_command_that_cannot_be_committed_fails_the_lane_which_still_executes_the_next_one()
    {
        var refusals = 0;
        _store.Fate = call => call == StoreCall.Commit && refusals++ == 0 ? throw new ReadModelFault("read only", false) : CallFate.Done;
        var lane = await StartAsync();
        lane.Give([new(1, "balances", CommandVerb.Retry) { PersistenceId = "a" }, new(2, "balances", CommandVerb.Retry) { PersistenceId = "a" }]);
        await Wait.UntilAsync(() => _store.Command(2).State == CommandState.Refused, "the second is executed");
        Assert.Equal(CommandState.Waiting, _store.Command(1).State);
        Assert.Equal(LaneState.Failed, lane.Health.State.State);
    }

    [Fact]
    public async Task A_lane_that_waits_for_the_end_of_its_history_says_so()
    {
        var lane = Make(history: VersionHistory.UpTo(VersionHistory.Unknown, "balances"));
        lane.Start(null);
        await Wait.UntilAsync(() => lane.Queue is not null, "the lane has read its offsets");
        Assert.Equal(
            (LaneState.Retrying, "waits for the end of its history; the process that has lane 0 stores it, and must not be of an older release"), lane.Health.State);
    }

    // The handler would repeat its effects, so only discards are executed.
    [Fact]
    public async Task A_lane_of_a_rebuild_that_its_handler_refuses_discards_dead_letters_and_refuses_retries()
    {
        _store.Seed(new(Lanes.Make.Event(1, "a"), "poison", 1));
        _store.Seed(new(Lanes.Make.Event(2, "b"), "poison", 1));
        var options = new ProjectionOptions { Name = "balances", Lanes = 1, Decoder = _poison.Decode, TimeProvider = new ImmediateClock() };
        var row = _store.LayOut(1, keepsEpoch: true)[0] with { IsBuilding = true };
        var lane = new Lane(Lanes.Make.Context(new ScriptedAtLeastOnceHandler(_store, _poison), options, _store), row, _store.Epoch) { Changed = _ => { } };
        _lanes.Add(lane);
        lane.Start(null);
        lane.Give([new(1, "balances", CommandVerb.Retry) { PersistenceId = "a" }, new(2, "balances", CommandVerb.Discard) { PersistenceId = "b" }]);
        await Wait.UntilAsync(() => _store.Command(2).State == CommandState.Done, "the discard is executed");
        Assert.Equal(CommandState.Refused, _store.Command(1).State);
        Assert.StartsWith("The handler of 'balances' has effects outside the read model", _store.Command(1).Result, StringComparison.Ordinal);
        Assert.Equal((LaneEnding.Failed, LaneState.Failed), (lane.Ending, lane.Health.State.State));
        Assert.Empty(_store.Effects);
        Assert.Equal([1], _store.DeadLetters.Select(deadLetter => deadLetter.Event.Ordering));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var lane in _lanes)
            await lane.StopAsync(new(true));
    }

    private IEnumerable<long> Effects => _store.Locked(() => _store.Effects.Select(stored => stored.Ordering).ToList());

    private async Task<Lane> FailedAsync()
    {
        _poison.Set(2, PoisonKind.Throws);
        var lane = await StartAsync();
        Feed(lane, 1, 2);
        await Wait.UntilAsync(() => lane.Ending == LaneEnding.Failed, "the lane fails");
        return lane;
    }

    private async Task<Lane> StartAsync(
        Func<ProjectionBatch, CancellationToken, Task>? entered = null, TimeProvider? clock = null, Lane? before = null)
    {
        var lane = Make(entered, clock);
        lane.Start(before);
        await Wait.UntilAsync(() => lane.Queue is not null, "the lane has read its offsets");
        return lane;
    }

    private Lane Make(Func<ProjectionBatch, CancellationToken, Task>? entered = null, TimeProvider? clock = null, long epoch = 0, VersionHistory? history = null)
    {
        var options = new ProjectionOptions
        {
            Name = "balances", Lanes = 1, BatchSize = clock is null ? 10 : 1, MaxAttempts = 2, Decoder = _poison.Decode, TimeProvider = clock ?? new ImmediateClock(),
        };
        var handler = new ScriptedBatchHandler(_store, _poison) { Entered = entered ?? ((_, _) => Task.CompletedTask) };
        var row = _store.LayOut(1, keepsEpoch: true)[0];
        var lane = new Lane(Lanes.Make.Context(handler, options, _store) with { History = history ?? new("balances") }, row, epoch == 0 ? _store.Epoch : epoch)
        {
            Changed = changed => Interlocked.Add(ref _ends, changed.Ending == LaneEnding.None ? 0 : 1),
        };
        _lanes.Add(lane);
        return lane;
    }

    private static void Feed(Lane lane, params long[] orderings) =>
        Assert.True(lane.Queue!.TryPut(Lanes.Make.Chunk([.. orderings.Select(ordering => Lanes.Make.Event(ordering))])));
}

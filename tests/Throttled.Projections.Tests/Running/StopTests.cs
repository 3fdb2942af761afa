using Throttled.Projections.Tables;
namespace Throttled.Projections.Tests.Running;

public sealed class StopTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_stop_stops_the_lanes_and_removes_the_process()
    {
        var process = _cluster.Start("a");
        process.Runner.Stop();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.True(process.Workers.Single().IsDisposed);
        Assert.All(_cluster.Tables.Versions["p"].Lanes, lane => Assert.Null(lane.Owner));
        Assert.Empty(_cluster.Tables.Processes);
        Assert.Equal(0, _cluster.Clock.Set);
        Assert.Equal(0, _cluster.Log.CountOf(104));
    }

    [Fact]
    public void A_stop_waits_for_the_batch_in_hand()
    {
        var process = _cluster.Start("a");
        var batch = new TaskCompletionSource();
        CancellationToken abort = default;
        process.Worker().Slow = token =>
        {
            abort = token;
            return batch.Task;
        };
        process.Runner.Stop();
        _cluster.Advance(4);
        Assert.False(process.Runner.Completion.IsCompleted);
        Assert.False(abort.IsCancellationRequested);
        batch.SetResult();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.Equal(0, _cluster.Log.CountOf(104));
    }

    [Fact]
    public void A_stop_rolls_back_a_batch_that_takes_too_long()
    {
        var process = _cluster.Start("a");
        process.Worker().Slow = Aborted;
        process.Runner.Stop();
        _cluster.Advance(4.9);
        Assert.False(process.Runner.Completion.IsCompleted);
        _cluster.Advance(0.2);
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public void An_aborted_stop_rolls_the_batch_in_hand_back_at_once()
    {
        var process = _cluster.Start("a");
        process.Worker().Slow = Aborted;
        process.Runner.Stop();
        Assert.False(process.Runner.Completion.IsCompleted);
        process.Runner.Abort();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.Empty(_cluster.Tables.Processes);
    }

    [Fact]
    public void A_database_that_never_answers_does_not_hang_the_stop()
    {
        var process = _cluster.Start("a");
        process.Store.Hangs = true;
        process.Worker().Slow = _ => new TaskCompletionSource().Task;
        _cluster.Advance(10);
        process.Runner.Stop();
        _cluster.Advance(20);
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.Equal(3, _cluster.Log.CountOf(104));
    }

    [Fact]
    public void A_database_that_fails_does_not_fail_the_stop()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("unavailable");
        _cluster.Advance(10);
        process.Runner.Stop();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.Equal("Projection p: stopping failed at leaving (unavailable). Unfinished work is rolled back; other processes take the lanes when the leases expire.", Assert.Single(_cluster.Log.TextsOf(105)));
        Assert.Equal(0, _cluster.Log.CountOf(104));
    }

    [Fact]
    public void A_stop_cancels_the_command_in_hand()
    {
        var process = _cluster.Start("a");
        var slow = new TaskCompletionSource();
        process.Handler.Slow = () => slow.Task;
        var command = _cluster.Tables.Command(CommandVerb.Reset, "p", 0);
        _cluster.Advance(3);
        process.Runner.Stop();
        slow.SetResult();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.True(_cluster.Tables.IsWaiting(command));
        Assert.Equal(_cluster.Begun, _cluster.Tables.Versions["p"].Row.Epoch);
    }

    [Fact]
    public void A_stop_during_the_first_round_leaves_no_worker_and_no_process()
    {
        var process = _cluster.Make("a");
        var slow = new TaskCompletionSource();
        process.Store.Slow = call => call == "read" ? slow.Task : Task.CompletedTask;
        process.Start();
        process.Runner.Stop();
        _cluster.Advance(10);
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        slow.SetResult();
        _cluster.Advance(3);
        Assert.Empty(process.Workers);
        Assert.Empty(_cluster.Tables.Processes);
    }

    private static Task Aborted(CancellationToken abort)
    {
        var aborted = new TaskCompletionSource();
        abort.UnsafeRegister(_ => aborted.TrySetResult(), null);
        return aborted.Task;
    }
}

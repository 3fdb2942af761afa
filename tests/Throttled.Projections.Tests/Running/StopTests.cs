using Throttled.Projections.Tables;
namespace Throttled.Projections.Tests.Running;

public sealed class StopTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void Stopping_stops_the_lanes_and_leaves()
    {
        var process = _cluster.Start("a");
        process.Runner.Stop();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.True(process.Workers.Single().IsDisposed);
        Assert.All(_cluster.Tables.Versions["p"].Lanes, lane => Assert.Null(lane.Owner));
        Assert.Empty(_cluster.Tables.Processes);
        Assert.Equal(0, _cluster.Clock.Set);
        Assert.Equal(0, _cluster.Log.CountOf(4));
    }

    [Fact]
    public void The_batch_in_hand_is_finished_first()
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
        Assert.Equal(0, _cluster.Log.CountOf(4));
    }

    [Fact]
    public void A_batch_that_takes_too_long_is_rolled_back()
    {
        var process = _cluster.Start("a");
        process.Worker().Slow = Hurried;
        process.Runner.Stop();
        _cluster.Advance(4.9);
        Assert.False(process.Runner.Completion.IsCompleted);
        _cluster.Advance(0.2);
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public void Who_hurries_has_the_batch_in_hand_rolled_back_at_once()
    {
        var process = _cluster.Start("a");
        process.Worker().Slow = Hurried;
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
        Assert.Equal(3, _cluster.Log.CountOf(4));
    }

    [Fact]
    public void A_database_that_fails_does_not_fail_the_stop()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("away");
        _cluster.Advance(10);
        process.Runner.Stop();
        Assert.True(process.Runner.Completion.IsCompletedSuccessfully);
        Assert.Equal("Projection p: stopping failed at leaving (away). Unfinished work is rolled back, and its leases expire.", Assert.Single(_cluster.Log.TextsOf(5)));
        Assert.Equal(0, _cluster.Log.CountOf(4));
    }

    [Fact]
    public void A_command_in_hand_is_given_up()
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
    public void A_stop_before_the_first_round_has_ended_leaves_nothing_behind()
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

    private static Task Hurried(CancellationToken abort)
    {
        var hurried = new TaskCompletionSource();
        abort.UnsafeRegister(_ => hurried.TrySetResult(), null);
        return hurried.Task;
    }
}

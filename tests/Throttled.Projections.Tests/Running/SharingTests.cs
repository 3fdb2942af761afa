namespace Throttled.Projections.Tests.Running;

public sealed class SharingTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_new_process_gets_its_share()
    {
        var first = _cluster.Start("a");
        var second = _cluster.Start("b");
        Assert.Equal(("0,1", "2,3"), (first.Lanes(), second.Lanes()));
        var third = _cluster.Start("c");
        Assert.Equal(["0,1", "2", "3"], new[] { first, second, third }.Select(process => process.Lanes()));
        Assert.DoesNotContain("stop 0,1", first.Worker().Calls);
    }

    [Fact]
    public void The_lanes_of_a_dead_process_are_taken_over_when_its_claims_expire()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        second.Die();
        _cluster.Advance(8);
        Assert.Equal("0,1", first.Lanes());
        _cluster.Advance(4);
        Assert.Equal("0,1,2,3", first.Lanes());
    }

    [Fact]
    public async Task The_lanes_of_a_stopped_process_are_taken_over_at_once()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        second.Runner.Stop();
        await second.Runner.Completion;
        _cluster.Advance(1.1);
        Assert.Equal("0,1,2,3", first.Lanes());
    }

    [Fact]
    public void A_lane_that_another_process_has_claimed_is_stopped()
    {
        var process = _cluster.Start("a");
        _cluster.Tables.Processes["b"] = TimeSpan.FromHours(1);
        foreach (var lane in _cluster.Tables.Versions["p"].Lanes[1..3])
            (lane.Owner, lane.Until) = ("b", TimeSpan.FromHours(1));
        _cluster.Advance(1.1);
        Assert.Equal("0,3", process.Lanes());
    }

    [Fact]
    public void Claims_that_expired_while_the_database_was_unavailable_are_taken_again_without_stopping_a_lane()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("unavailable");
        _cluster.Advance(30);
        Assert.Equal("0,1,2,3", process.Lanes());
        process.Store.Fault = null;
        _cluster.Advance(6);
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal([$"start 0,1,2,3 at {_cluster.Begun}"], process.Worker().Calls);
        Assert.All(_cluster.Tables.Versions["p"].Lanes, lane => Assert.Equal("a", lane.OwnerAt(_cluster.Clock.Now)));
    }

    [Fact]
    public void Expired_claims_are_taken_again_by_the_process_that_runs_the_lane()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        var lanes = _cluster.Tables.Versions["p"].Lanes;
        (lanes[1].Owner, lanes[2].Owner) = ("b", "a");
        _cluster.Advance(3);
        Assert.Equal(("0,2", "1,3"), (first.Lanes(), second.Lanes()));
        var calls = (first.Worker().Calls.Count, second.Worker().Calls.Count);
        foreach (var lane in lanes)
            lane.Until = TimeSpan.Zero;
        _cluster.Advance(3);
        Assert.Equal(["a", "b", "a", "b"], lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now)));
        Assert.Equal(calls, (first.Worker().Calls.Count, second.Worker().Calls.Count));
    }

    [Fact]
    public void A_fenced_lane_is_restarted_at_once_while_it_is_claimed()
    {
        var process = _cluster.Start("a");
        Assert.True(process.Worker().Commit(2));
        _cluster.Tables.Versions["p"].At[9] = 77;
        _cluster.Advance(1);
        Assert.False(process.Worker().Commit(2));
        _cluster.Advance(0.1);
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal($"start 2 at {_cluster.Begun}", process.Worker().Calls[^1]);
        Assert.True(process.Worker().Commit(2));
    }

    [Fact]
    public void Lanes_that_are_fenced_repeatedly_do_not_cause_endless_rounds()
    {
        var process = _cluster.Start("a");
        var before = process.Store.Calls.Count(call => call == "read");
        for (var i = 0; i < 100; i++)
        {
            process.Worker().LaneEnded!();
            _cluster.Advance(0.05);
        }
        Assert.InRange(process.Store.Calls.Count(call => call == "read") - before, 20, 51);
    }

    [Fact]
    public void A_new_epoch_restarts_all_lanes()
    {
        var process = _cluster.Start("a");
        _cluster.Tables.Change("p", row => row with { Epoch = 5 });
        _cluster.Advance(1.1);
        Assert.Equal([$"start 0,1,2,3 at {_cluster.Begun}", "stop 0,1,2,3", "start 0,1,2,3 at 5"], process.Worker().Calls);
    }

    [Fact]
    public void During_a_pause_lanes_are_stopped_and_stay_claimed()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.Tables.Change("p", row => row with { IsPaused = true });
        _cluster.Advance(60);
        Assert.Equal(("", ""), (first.Lanes(), second.Lanes()));
        Assert.Equal(["a", "a", "b", "b"], _cluster.Tables.Versions["p"].Lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now)));
        _cluster.Tables.Change("p", row => row with { IsPaused = false, Resumes = row.Resumes + 1 });
        _cluster.Advance(1.1);
        Assert.Equal(("0,1", "2,3"), (first.Lanes(), second.Lanes()));
    }

    [Fact]
    public void A_failed_lane_is_reported_and_restarted_when_the_version_is_resumed()
    {
        var process = _cluster.Start("a");
        process.Worker().Fail(1);
        _cluster.Advance(30);
        Assert.Equal("0,2,3", process.Lanes());
        Assert.Equal(LaneState.Failed, _cluster.Tables.Read("p", 1).Lanes[1].Status.State);
        _cluster.Tables.Change("p", row => row with { Resumes = row.Resumes + 1 });
        _cluster.Advance(1.1);
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal($"start 1 at {_cluster.Begun}", process.Worker().Calls[^1]);
    }

    [Fact]
    public void A_slow_batch_delays_neither_claims_nor_other_lanes()
    {
        var first = _cluster.Start("a");
        var batch = new TaskCompletionSource();
        first.Worker().Slow = _ => batch.Task;
        var second = _cluster.Start("b");
        _cluster.Advance(30);
        Assert.Equal(["a", "a", "a", "a"], _cluster.Tables.Versions["p"].Lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now)));
        Assert.True(first.Worker().Commit(0));
        batch.SetResult();
        _cluster.Advance(3);
        Assert.Equal(("0,1", "2,3"), (first.Lanes(), second.Lanes()));
    }

    [Fact]
    public void A_worker_is_ticked_about_once_a_second()
    {
        var process = _cluster.Start("a", options => options with { LeaseDuration = TimeSpan.FromSeconds(1) });
        _cluster.Advance(10);
        Assert.InRange(process.Worker().Ticks, 11, 14);
    }

    [Fact]
    public void The_leader_stores_the_journal_end_and_keeps_the_last_one_if_it_cannot_be_read()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.End = () => 2_000;
        _cluster.Advance(3);
        Assert.Equal([2_000L], _cluster.Tables.Versions["p"].Row.JournalEnds);
        _cluster.End = () => throw new TimeoutException("away");
        _cluster.Advance(30);
        Assert.Equal([2_000L], _cluster.Tables.Versions["p"].Row.JournalEnds);
        Assert.DoesNotContain("journal end", second.Store.Calls);
        Assert.Null(first.Runner.StoreUnavailable);
        Assert.InRange(_cluster.Polls, 30, 40);
    }

    [Fact]
    public void A_round_runs_every_tenth_of_the_lease_and_at_least_every_second()
    {
        foreach (var (lease, reads) in new[] { (1, 100), (5, 20), (10, 10), (3_600, 10) })
        {
            var process = new Cluster().Make("a", options => options with { LeaseDuration = TimeSpan.FromSeconds(lease) });
            process.Start();
            process.Store.Calls.Clear();
            ((Throttled.Testing.Scripted.FakeClock)process.Context.Options.TimeProvider).Advance(TimeSpan.FromSeconds(10));
            Assert.InRange(process.Store.Calls.Count(call => call == "read"), reads - 1, reads + 1);
        }
    }
}

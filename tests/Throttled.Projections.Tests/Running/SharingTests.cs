namespace Throttled.Projections.Tests.Running;

public sealed class SharingTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void Who_joins_is_given_its_share()
    {
        var first = _cluster.Start("a");
        var second = _cluster.Start("b");
        Assert.Equal(("0,1", "2,3"), (first.Lanes(), second.Lanes()));
        var third = _cluster.Start("c");
        Assert.Equal(["0,1", "2", "3"], new[] { first, second, third }.Select(process => process.Lanes()));
        Assert.DoesNotContain("stop 0,1", first.Worker().Calls);
    }

    [Fact]
    public void The_lanes_of_one_that_dies_are_taken_over_when_its_claims_run_out()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        second.Die();
        _cluster.Advance(8);
        Assert.Equal("0,1", first.Lanes());
        _cluster.Advance(4);
        Assert.Equal("0,1,2,3", first.Lanes());
    }

    [Fact]
    public async Task The_lanes_of_one_that_stops_are_taken_over_at_once()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        second.Runner.Stop();
        await second.Runner.Completion;
        _cluster.Advance(1.1);
        Assert.Equal("0,1,2,3", first.Lanes());
    }

    [Fact]
    public void A_lane_that_another_has_claimed_is_stopped()
    {
        var process = _cluster.Start("a");
        _cluster.Tables.Processes["b"] = TimeSpan.FromHours(1);
        foreach (var lane in _cluster.Tables.Versions["p"].Lanes[1..3])
            (lane.Owner, lane.Until) = ("b", TimeSpan.FromHours(1));
        _cluster.Advance(1.1);
        Assert.Equal("0,3", process.Lanes());
    }

    [Fact]
    public void Claims_that_ran_out_while_the_database_was_away_are_taken_again_and_no_lane_stops_for_it()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("away");
        _cluster.Advance(30);
        Assert.Equal("0,1,2,3", process.Lanes());
        process.Store.Fault = null;
        _cluster.Advance(6);
        Assert.Equal("0,1,2,3", process.Lanes());
        Assert.Equal([$"start 0,1,2,3 at {_cluster.Begun}"], process.Worker().Calls);
        Assert.All(_cluster.Tables.Versions["p"].Lanes, lane => Assert.Equal("a", lane.OwnerAt(_cluster.Clock.Now)));
    }

    [Fact]
    public void Claims_that_ran_out_are_taken_again_by_who_runs_the_lane_whatever_its_number()
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
    public void A_fenced_lane_is_started_again_at_once_and_while_it_is_claimed()
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
    public void Lanes_that_are_fenced_without_end_do_not_make_rounds_without_end()
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
    public void Under_a_new_epoch_all_lanes_are_started_anew()
    {
        var process = _cluster.Start("a");
        _cluster.Tables.Change("p", row => row with { Epoch = 5 });
        _cluster.Advance(1.1);
        Assert.Equal([$"start 0,1,2,3 at {_cluster.Begun}", "stop 0,1,2,3", "start 0,1,2,3 at 5"], process.Worker().Calls);
    }

    [Fact]
    public void While_it_is_paused_lanes_stand_still_and_stay_claimed()
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
    public void A_failed_lane_says_so_stays_as_it_is_and_is_started_again_when_the_target_is_resumed()
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
    public void A_batch_that_takes_long_keeps_neither_the_claims_nor_the_other_lanes_from_going_on()
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
    public void A_crew_looks_at_its_lanes_about_once_a_second()
    {
        var process = _cluster.Start("a", options => options with { LeaseDuration = TimeSpan.FromSeconds(1) });
        _cluster.Advance(10);
        Assert.InRange(process.Worker().Ticks, 11, 14);
    }

    [Fact]
    public void The_leader_stores_the_end_of_the_journal_and_keeps_the_last_one_where_it_cannot_be_seen()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.End = () => 2_000;
        _cluster.Advance(3);
        Assert.Equal([2_000L], _cluster.Tables.Versions["p"].Row.JournalEnds);
        _cluster.End = () => throw new TimeoutException("away");
        _cluster.Advance(30);
        Assert.Equal([2_000L], _cluster.Tables.Versions["p"].Row.JournalEnds);
        Assert.DoesNotContain("head", second.Store.Calls);
        Assert.Null(first.Runner.StoreUnavailable);
        Assert.InRange(_cluster.Polls, 30, 40);
    }

    [Fact]
    public void Rounds_are_a_tenth_of_the_lease_apart_and_a_second_at_most()
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

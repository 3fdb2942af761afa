using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Running;

public sealed class AssignedProjectionTests
{
    private readonly Cluster _cluster = new();
    private readonly AssignedLanes _ofA = new(4);
    private readonly AssignedLanes _ofB = new(4);

    [Fact]
    public void Only_assigned_lanes_run_and_others_have_no_owner()
    {
        var process = Start("a", _ofA);
        Assert.Equal("", process.Lanes());
        _ofA.Add(0);
        _ofA.Add(2);
        _cluster.Advance(0.2);
        Assert.Equal("0,2", process.Lanes());
        Assert.Equal("a-a-", Owners());
    }

    [Fact]
    public void A_lane_moves_when_the_one_process_has_drained_it()
    {
        var (a, b) = (Start("a", _ofA, 0, 1, 2, 3), Start("b", _ofB));
        var finished = new TaskCompletionSource();
        a.Worker().Slow = _ => finished.Task;
        var drained = _ofA.RemoveAsync(3);
        _ofB.Add(3);
        _cluster.Advance(5);
        Assert.False(drained.IsCompleted);
        Assert.Equal("", b.Lanes());
        finished.SetResult();
        _cluster.AdvanceUntil(() => drained.IsCompleted, "the drain");
        Assert.NotEqual('a', Owners()[3]);
        _cluster.Advance(1.1);
        Assert.Equal(("0,1,2", "3"), (a.Lanes(), b.Lanes()));
    }

    [Fact]
    public void A_lane_of_a_dead_process_is_claimed_when_its_lease_expires()
    {
        var (a, b) = (Start("a", _ofA, 0, 1, 2, 3), Start("b", _ofB));
        a.Die();
        _ofB.Add(1);
        _cluster.Advance(8);
        Assert.Equal("", b.Lanes());
        _cluster.Advance(4);
        Assert.Equal("1", b.Lanes());
        Assert.Equal("-b--", Owners());
    }

    [Fact]
    public void A_lane_that_two_processes_were_given_stays_with_the_owner()
    {
        var (a, b) = (Start("a", _ofA, 0, 1), Start("b", _ofB, 0, 1, 2, 3));
        _cluster.Advance(30);
        Assert.Equal(("0,1", "2,3"), (a.Lanes(), b.Lanes()));
    }

    [Fact]
    public void A_drain_waits_while_the_database_is_unavailable()
    {
        var process = Start("a", _ofA, 0, 1);
        process.Store.Fault = _ => new TimeoutException("unavailable");
        var drained = _ofA.RemoveAsync(0);
        _cluster.Advance(20);
        Assert.False(drained.IsCompleted);
        process.Store.Fault = null;
        _cluster.AdvanceUntil(() => drained.IsCompleted, "the drain");
        Assert.Equal("1", process.Lanes());
    }

    [Fact]
    public void A_stop_ends_the_drains_and_releases_the_lanes()
    {
        var process = Start("a", _ofA, 0, 1);
        process.Store.Slow = _ => new TaskCompletionSource().Task;
        var drained = _ofA.RemoveAsync(0);
        process.Store.Slow = null;
        process.Runner.Stop();
        _cluster.AdvanceUntil(() => drained.IsCompleted && process.Runner.Completion.IsCompleted, "the stop");
        Assert.Equal("----", Owners());
    }

    [Theory]
    [InlineData(3, "0,2", "1")]
    [InlineData(9, "0,2,4,6,8", "1,3,5,7")]
    public void Any_number_of_lanes_is_divided_onto_the_parts(int lanes, string first, string second)
    {
        var (two, other) = (new AssignedLanes(2), new AssignedLanes(2));
        var (a, b) = (Start("a", two, 0), Start("b", other, 1));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.SetLanes, "p", lanes: lanes).State);
        _cluster.Advance(3);
        Assert.Equal((first, second), (a.Lanes(), b.Lanes()));
    }

    [Fact]
    public void A_rebuild_runs_on_the_same_processes_and_its_lanes_are_drained_too()
    {
        var (a, b) = (Start("a", _ofA, 0, 1), Start("b", _ofB, 2, 3));
        Assert.Equal(CommandState.Done, _cluster.Command(CommandVerb.Rebuild, "q").State);
        _cluster.Advance(3);
        Assert.Equal(("0,1", "2,3"), (a.Lanes("q"), b.Lanes("q")));
        var finished = new TaskCompletionSource();
        b.Worker("q").Slow = _ => finished.Task;
        var drained = _ofB.RemoveAsync(2);
        _cluster.Advance(5);
        Assert.Equal("3", b.Lanes());
        Assert.False(drained.IsCompleted);
        finished.SetResult();
        _cluster.AdvanceUntil(() => drained.IsCompleted, "the drain");
        Assert.Equal("3", b.Lanes("q"));
    }

    [Fact]
    public void Processes_move_from_leases_to_assigned_lanes_and_back_without_a_lane_that_stands_still()
    {
        var (x, y) = (_cluster.Start("x"), _cluster.Start("y"));
        Assert.Equal(("0,1", "2,3"), (x.Lanes(), y.Lanes()));
        var (a, b) = (Start("a", _ofA, 0, 2), Start("b", _ofB, 1, 3));
        _cluster.Advance(5);
        AllRun(x, y, a, b);
        x.Runner.Stop();
        _cluster.Advance(3);
        AllRun(y, a, b);
        y.Runner.Stop();
        _cluster.Advance(3);
        Assert.Equal(("0,2", "1,3"), (a.Lanes(), b.Lanes()));
        var back = _cluster.Start("z");
        AllRun(a, b, back);
        a.Runner.Stop();
        b.Runner.Stop();
        _cluster.Advance(3);
        Assert.Equal("0,1,2,3", back.Lanes());
    }

    private static void AllRun(params ScriptedProcess[] processes) =>
        Assert.Equal([0, 1, 2, 3], processes.SelectMany(process => process.Worker().Running).Order());

    private string Owners() => string.Concat(_cluster.Tables.Versions["p"].Lanes.Select(lane => lane.OwnerAt(_cluster.Clock.Now) ?? "-"));

    private ScriptedProcess Start(string name, AssignedLanes assigned, params int[] parts)
    {
        Array.ForEach(parts, assigned.Add);
        return _cluster.Start(name, options => options with { LaneOwnership = assigned });
    }
}

namespace Throttled.Projections.Tests.Running;

/// <summary>What processes report about their lanes while a version is paused.</summary>
public sealed class PauseTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_lane_is_reported_as_stopped_only_when_its_batch_has_ended()
    {
        var (first, second) = (_cluster.Start("a"), _cluster.Start("b"));
        _cluster.Advance(10);
        var batch = new TaskCompletionSource();
        first.Worker().Slow = _ => batch.Task;

        Pause(true);
        _cluster.Advance(5);
        Assert.Equal([null, null, 0, 0], Stopped());
        batch.SetResult();
        _cluster.Advance(1);
        Assert.Equal([0, 0, 0, 0], Stopped());
        Assert.Equal(("", ""), (first.Lanes(), second.Lanes()));
    }

    [Fact]
    public void A_lane_that_runs_again_is_not_reported_as_stopped_and_each_pause_has_its_own_number()
    {
        _cluster.Start("a");
        Pause(true);
        _cluster.Advance(3);
        Assert.Equal([0, 0, 0, 0], Stopped());
        Pause(false);
        _cluster.Advance(3);
        Assert.Equal([null, null, null, null], Stopped());
        Pause(true);
        _cluster.Advance(3);
        Assert.Equal([1, 1, 1, 1], Stopped());
    }

    [Fact]
    public void A_process_that_joins_during_a_pause_reports_its_lanes_as_stopped()
    {
        _cluster.Start("a");
        Pause(true);
        _cluster.Advance(3);
        var second = _cluster.Start("b");
        _cluster.Advance(10);
        Assert.Equal(("", 2), (second.Lanes(), _cluster.Tables.Versions["p"].Lanes.Count(lane => lane.Owner == "b")));
        Assert.Equal([0, 0, 0, 0], Stopped());
    }

    [Fact]
    public void A_stop_is_reported_without_waiting_for_the_next_round()
    {
        _cluster.Start("a");
        _cluster.Advance(5);
        Pause(true);
        var before = _cluster.Clock.Now;
        _cluster.AdvanceUntil(() => Stopped().All(stopped => stopped == 0), "the report");
        // A round each second notices the pause; its report follows at once.
        Assert.InRange((_cluster.Clock.Now - before).TotalSeconds, 0, 1.3);
    }

    private List<long?> Stopped() => [.. _cluster.Tables.Versions["p"].Lanes.Select(lane => lane.Report?.StoppedAfterResumes)];

    private void Pause(bool isPaused) =>
        _cluster.Tables.Change("p", row => row with { IsPaused = isPaused, Resumes = row.Resumes + (isPaused ? 0 : 1) });
}

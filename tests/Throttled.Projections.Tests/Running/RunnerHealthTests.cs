using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Hosting;
using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Running;

public sealed class RunnerHealthTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_journal_that_cannot_be_read_is_unavailable_since_its_first_failed_read()
    {
        var process = _cluster.Start("a");
        Assert.Null(Health(process).Unavailable);
        process.Context.Availability.Journal[0].Failed("p", new TimeoutException("no answer"));
        _cluster.Advance(11);
        process.Context.Availability.Journal[0].Failed("p", new TimeoutException("refused"));
        var health = Health(process);
        Assert.Equal(("the journal: refused", TimeSpan.FromSeconds(11)), (health.Unavailable, health.UnavailableFor));
        Assert.Equal(HealthStatus.Unhealthy, new ProjectionHealthReport("p", HealthStatus.Unhealthy, new()).Of(health).Status);
        process.Context.Availability.Journal[0].Recovered("p");
        Assert.Null(Health(process).Unavailable);
    }

    [Fact]
    public void Of_two_outages_the_longer_one_is_reported()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("no answer");
        _cluster.Advance(20);
        process.Context.Availability.Journal[0].Failed("p", new TimeoutException("refused"));
        _cluster.Advance(5);
        Assert.Equal("the read model: no answer", Health(process).Unavailable);
        process.Store.Fault = null;
        _cluster.Advance(10);
        Assert.Equal("the journal: refused", Health(process).Unavailable);
    }

    [Fact]
    public void A_running_lane_with_a_slow_batch_is_reported_as_slow_and_not_as_retrying()
    {
        var process = _cluster.Start("a");
        process.Worker().Error = "one batch has taken 2 min so far";
        _cluster.Advance(2);
        Assert.Equal((null, "lane 0: one batch has taken 2 min so far"), (Health(process).Retrying, Health(process).Slow));
    }

    [Fact]
    public void A_stuck_shard_is_behind_beside_a_busy_one_and_until_it_runs_elsewhere()
    {
        var end = 1_000;
        _cluster.Map = ShardMap.Even(2);
        _cluster.End = () => end;
        var lanes = new AssignedLanes(4);
        for (var lane = 0; lane < 4; lane++)
            lanes.Add(lane);
        // Lanes 0 and 1 are of the first shard, 2 and 3 of the second.
        var process = _cluster.Start("a", options => options with { Source = ProjectionSource.All, LaneOwnership = lanes });
        foreach (var lane in new[] { 0, 1, 2, 3 })
            process.Worker().Offsets[lane] = 1_000;
        _cluster.Advance(3);
        Assert.Equal((TimeSpan.Zero, TimeSpan.Zero), (Health(process).LagTime, Health(process).SameLagFor));

        for (var second = 0; second < 60; second++)
        {
            end += 100;
            process.Worker().Offsets[0] = process.Worker().Offsets[1] = end;
            _cluster.Advance(1);
        }
        Assert.InRange(Health(process).LagTime.TotalSeconds, 57, 60);
        Assert.InRange(Health(process).SameLagFor.TotalSeconds, 57, 60);

        process.Worker().Offsets[0] = process.Worker().Offsets[1] = end;
        _ = lanes.RemoveAsync(2);
        _ = lanes.RemoveAsync(3);
        _cluster.Advance(3);
        Assert.Equal("0,1", process.Lanes());
        Assert.Equal((TimeSpan.Zero, TimeSpan.Zero), (Health(process).LagTime, Health(process).SameLagFor));
    }

    private static ProjectionHealth Health(ScriptedProcess process) => RunnerHealth.Of(process.Runner, process.Context.Options, true);
}

using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Running;

public sealed class RunnerHealthTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void A_journal_that_cannot_be_read_is_away_since_the_first_read_failed()
    {
        var process = _cluster.Start("a");
        Assert.Null(Health(process).Away);
        process.Parts.Outages.Journal[0].Misses("p", new TimeoutException("no answer"));
        _cluster.Advance(11);
        process.Parts.Outages.Journal[0].Misses("p", new TimeoutException("refused"));
        var health = Health(process);
        Assert.Equal(("the journal: refused", TimeSpan.FromSeconds(11)), (health.Away, health.AwayFor));
        Assert.Equal(HealthStatus.Unhealthy, new HealthVerdict("p", HealthStatus.Unhealthy).Of(health).Status);
        process.Parts.Outages.Journal[0].Has("p");
        Assert.Null(Health(process).Away);
    }

    [Fact]
    public void Of_two_that_are_away_the_one_that_has_been_for_longer_is_told()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("no answer");
        _cluster.Advance(20);
        process.Parts.Outages.Journal[0].Misses("p", new TimeoutException("refused"));
        _cluster.Advance(5);
        Assert.Equal("the read model: no answer", Health(process).Away);
        process.Store.Fault = null;
        _cluster.Advance(10);
        Assert.Equal("the journal: refused", Health(process).Away);
    }

    [Fact]
    public void A_lane_that_runs_and_takes_long_is_slow_and_does_not_try_again()
    {
        var process = _cluster.Start("a");
        process.Crew().Said = "a batch has been in hand for 2 min";
        _cluster.Advance(2);
        Assert.Equal((null, "lane 0: a batch has been in hand for 2 min"), (Health(process).Retrying, Health(process).Slow));
    }

    private static ProjectionHealth Health(ScriptedProcess process) => RunnerHealth.Of(process.Runner, process.Parts.Options, true);
}

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

    private static ProjectionHealth Health(ScriptedProcess process) => RunnerHealth.Of(process.Runner, process.Context.Options, true);
}

using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Tests.Running;

public sealed class StoreFaultTests
{
    private readonly Cluster _cluster = new();

    [Fact]
    public void An_unavailable_database_is_logged_once_and_retried_at_growing_intervals()
    {
        var process = _cluster.Start("a");
        process.Store.Fault = _ => new TimeoutException("unavailable");
        process.Store.Calls.Clear();
        _cluster.Advance(60);
        Assert.Equal(1, _cluster.Log.CountOf(106));
        Assert.InRange(process.Store.Calls.Count, 10, 30);
        Assert.Equal("unavailable", process.Runner.StoreUnavailable);
        process.Store.Fault = null;
        _cluster.Advance(6);
        Assert.Equal(1, _cluster.Log.CountOf(107));
        Assert.Null(process.Runner.StoreUnavailable);
    }

    [Fact]
    public void The_metrics_know_of_an_unavailable_database()
    {
        using var metrics = new ProjectionMetrics($"p-{Guid.NewGuid():N}");
        _cluster.Metrics = metrics;
        var process = _cluster.Start("a");
        Assert.False(metrics.IsUnavailable);
        process.Store.Fault = _ => new TimeoutException("unavailable");
        _cluster.Advance(5);
        Assert.True(metrics.IsUnavailable);
        process.Store.Fault = null;
        _cluster.Advance(6);
        Assert.False(metrics.IsUnavailable);
    }

    [Fact]
    public void A_process_retries_before_its_claims_can_expire()
    {
        var process = _cluster.Start("a", options => options with { LeaseDuration = TimeSpan.FromSeconds(1) });
        process.Store.Fault = _ => new TimeoutException("unavailable");
        _cluster.Advance(60);
        process.Store.Fault = null;
        _cluster.Advance(0.6);
        Assert.Null(process.Runner.StoreUnavailable);
    }

    [Theory]
    [InlineData("renew")]
    [InlineData("read")]
    [InlineData("claim")]
    [InlineData("release")]
    [InlineData("journal end")]
    [InlineData("create")]
    [InlineData("tables")]
    [InlineData("waiting reads")]
    public void Each_call_may_fail_before_or_after_it_took_effect(string call)
    {
        var faults = 0;
        foreach (var isLate in new[] { false, true })
        {
            var cluster = new Cluster();
            var process = cluster.Make("a");
            Func<string, Exception?> fault = made => made == call && faults++ % 2 == 0 ? new TimeoutException("lost") : null;
            process.Store.Fault = isLate ? null : fault;
            process.Store.LateFault = isLate ? fault : null;
            process.Start();
            cluster.Advance(6);
            var other = cluster.Start("b");
            cluster.Advance(30);
            Assert.Equal(("0,1", "2,3"), (process.Lanes(), other.Lanes()));
        }
        Assert.InRange(faults, 2, int.MaxValue);
    }

    [Fact]
    public void Running_lanes_are_reported_by_version()
    {
        var process = _cluster.Start("a");
        process.Worker().Fail(3);
        _cluster.Advance(1);
        Assert.Equal(["Running", "Running", "Running", "Failed"], process.Runner.Reports["p"].Select(report => report.State.ToString()));
    }
}

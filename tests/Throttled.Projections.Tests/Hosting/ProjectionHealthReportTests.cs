using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Hosting;
using Throttled.Projections.Running;

namespace Throttled.Projections.Tests.Hosting;

public sealed class ProjectionHealthReportTests
{
    private static readonly ProjectionHealthReport Report = new("balances", HealthStatus.Unhealthy, new());

    private static readonly ProjectionHealth Well = new() { Lease = TimeSpan.FromSeconds(10) };

    [Fact]
    public void A_running_projection_is_healthy()
    {
        var result = Report.Of(Well);
        Assert.Equal((HealthStatus.Healthy, "The projection 'balances' runs."), (result.Status, result.Description));
    }

    [Fact]
    public void An_ended_projection_is_unhealthy() => Unhealthy(
        "The projection 'balances' has ended: another process runs it with 3 lanes.", Well with { Ended = "another process runs it with 3 lanes" });

    [Fact]
    public void A_projection_with_failed_lanes_is_unhealthy() => Unhealthy(
        "The projection 'balances' has stopped lanes: lane 3: event a 7 (12); lane 5: no table.", Well with { FailedLanes = ["lane 3: event a 7 (12)", "lane 5: no table"] });

    [Fact]
    public void An_outage_that_is_longer_than_the_lease_is_unhealthy() => Unhealthy(
        "For 11 s, the projection 'balances' has not reached the read model (refused).",
        Well with { Unavailable = "the read model (refused)", UnavailableFor = TimeSpan.FromMilliseconds(11_900) });

    [Fact]
    public void An_outage_that_is_no_longer_than_the_lease_is_degraded() => Degraded(
        "The projection 'balances' cannot reach the read model (refused).", Well with { Unavailable = "the read model (refused)", UnavailableFor = TimeSpan.FromSeconds(10) });

    [Fact]
    public void A_projection_that_has_not_started_is_degraded() => Degraded("The projection 'balances' has not started.", Well with { HasStarted = false });

    [Fact]
    public void A_retrying_projection_is_degraded() =>
        Degraded("The projection 'balances' is retrying: event a 7 (12).", Well with { Retrying = "event a 7 (12)" });

    [Fact]
    public void A_slow_projection_is_degraded_and_is_not_reported_as_retrying() => Degraded(
        "The projection 'balances' is slow: lane 3: one batch has taken 2 min so far. Look at what its handler waits for.",
        Well with { Slow = "lane 3: one batch has taken 2 min so far" });

    [Fact]
    public void A_paused_projection_with_dead_letters_is_degraded_for_both_reasons() => Degraded(
        "The projection 'balances' is paused. The projection 'balances' keeps 4 dead letters; retry or discard them.",
        Well with { IsPaused = true, DeadLetters = 4 });

    [Fact]
    public void A_projection_that_handled_none_of_its_events_is_degraded() => Degraded(
        "The projection 'balances' has read 51308 events, and its handler did nothing with any of them; the log names their types (id 145). "
        + "Correct the 'Decoder' or the handler, and reset the projection.",
        Well with { Handled = new(51_308, 51_308) });

    [Fact]
    public void A_projection_that_did_not_handle_some_events_is_healthy_with_their_number() => Is(
        HealthStatus.Healthy, "The projection 'balances' runs. Its handler did nothing with 3 of 500 events; the log names their types (id 145).",
        Well with { Handled = new(500, 3) });

    [Fact]
    public void Another_status_can_take_the_place_of_unhealthy() => Assert.Equal(
        HealthStatus.Degraded, new ProjectionHealthReport("balances", HealthStatus.Degraded, new()).Of(Well with { Ended = "it was stopped" }).Status);

    [Theory]
    [InlineData(90, 100, 10)]
    [InlineData(100, 90, 0)]
    public void The_figures_are_there_whatever_the_status(long offset, long journalEnd, long lag) => Assert.All(
        (ProjectionHealth[])[Well, Well with { IsPaused = true }, Well with { Ended = "it was stopped" }],
        health => Assert.Equivalent(
            new Dictionary<string, object> { ["offset"] = offset, ["journal-end"] = journalEnd, ["lag"] = lag, ["lag-time"] = TimeSpan.FromSeconds(3), ["same-lag-for"] = TimeSpan.FromSeconds(2), ["lanes"] = 8, ["dead-letters"] = 2, ["events"] = 9L, ["unhandled"] = 4L },
            Report.Of(health with { Offset = offset, JournalEnd = journalEnd, LagTime = TimeSpan.FromSeconds(3), SameLagFor = TimeSpan.FromSeconds(2), Lanes = 8, DeadLetters = 2, Handled = new(9, 4) }).Data, strict: true));

    [Fact]
    public void While_a_database_is_unavailable_the_lag_is_unknown_and_the_reason_is_given() => Assert.Equivalent(
        new Dictionary<string, object>
        {
            ["offset"] = 100L, ["lag-unknown"] = "It cannot reach the journal: refused.", ["lanes"] = 8, ["dead-letters"] = 0, ["events"] = 0L, ["unhandled"] = 0L,
        },
        Report.Of(Well with { Offset = 100, JournalEnd = 100, Lanes = 8, Unavailable = "the journal: refused" }).Data, strict: true);

    [Fact]
    public void Dead_letters_are_degraded_only_above_the_limit()
    {
        var report = Limited(new() { MaxDeadLetters = 4 });
        Assert.Equal(HealthStatus.Healthy, report.Of(Well with { DeadLetters = 4 }).Status);
        Assert.Equal(HealthStatus.Degraded, report.Of(Well with { DeadLetters = 5 }).Status);
    }

    [Fact]
    public void A_lag_is_degraded_above_the_limits_in_events_and_in_time()
    {
        var report = Limited(new() { MaxLagEvents = 10, MaxLag = TimeSpan.FromMinutes(1) });
        Assert.Equal(HealthStatus.Healthy, report.Of(Behind(10, lag: 60)).Status);
        var result = report.Of(Behind(11, lag: 61));
        Assert.Equal(
            (HealthStatus.Degraded, "The projection 'balances' is 11 events behind, more than 'MaxLagEvents' (10). "
                + "The projection 'balances' has been behind for 61 s, longer than 'MaxLag' (1 min)."),
            (result.Status, result.Description));
    }

    [Fact]
    public void A_lag_that_stays_the_same_is_unhealthy_above_the_limit()
    {
        var report = Limited(new() { MaxSameLag = TimeSpan.FromSeconds(30) });
        Assert.Equal(HealthStatus.Healthy, report.Of(Behind(10, same: 30)).Status);
        var result = report.Of(Behind(10, same: 31));
        Assert.Equal(
            (HealthStatus.Unhealthy, "The projection 'balances' has handled no event for 31 s, longer than 'MaxSameLag' (30 s), and is 10 events behind. "
                + "Look at what its handler waits for."),
            (result.Status, result.Description));
    }

    [Fact]
    public void A_projection_that_is_paused_or_unavailable_or_runs_elsewhere_is_not_reported_for_its_lag()
    {
        var report = Limited(new() { MaxLagEvents = 1, MaxLag = TimeSpan.FromSeconds(1), MaxSameLag = TimeSpan.FromSeconds(1) });
        Assert.Equal("The projection 'balances' is paused.", report.Of(Behind(10, 60, 60) with { IsPaused = true }).Description);
        Assert.Equal("The projection 'balances' cannot reach the journal: refused.", report.Of(Behind(10, 60, 60) with { Unavailable = "the journal: refused" }).Description);
        Assert.Equal("The projection 'balances' runs.", report.Of(Behind(10, 60, 60) with { HasLanes = false }).Description);
    }

    [Fact]
    public void Without_limits_no_lag_is_reported() => Is(HealthStatus.Healthy, "The projection 'balances' runs.", Behind(1_000_000, 3_600, 3_600));

    [Theory]
    [InlineData(-1L, null, null, 0, "'MaxLagEvents' is -1; it must be at least 0.")]
    [InlineData(null, 0, null, 0, "'MaxLag' is 0 s; it must be from 1 s to 365 d.")]
    [InlineData(null, null, -5, 0, "'MaxSameLag' is -5 s; it must be from 1 s to 365 d.")]
    [InlineData(null, null, null, -1, "'MaxDeadLetters' is -1; it must be at least 0.")]
    public void A_limit_that_is_not_valid_is_refused(long? events, int? lag, int? same, int deadLetters, string message)
    {
        var limits = new ProjectionHealthLimits
        {
            MaxLagEvents = events, MaxDeadLetters = deadLetters,
            MaxLag = lag is { } seconds ? TimeSpan.FromSeconds(seconds) : null, MaxSameLag = same is { } more ? TimeSpan.FromSeconds(more) : null,
        };
        var error = Assert.ThrowsAny<ArgumentException>(() => new ServiceCollection().AddHealthChecks().AddProjection("balances", limits: limits));
        Assert.StartsWith(message, error.Message, StringComparison.Ordinal);
    }

    private static ProjectionHealthReport Limited(ProjectionHealthLimits limits) => new("balances", HealthStatus.Unhealthy, limits);

    private static ProjectionHealth Behind(long events, int lag = 0, int same = 0) =>
        Well with { JournalEnd = events, LagTime = TimeSpan.FromSeconds(lag), SameLagFor = TimeSpan.FromSeconds(same) };

    private static void Unhealthy(string description, ProjectionHealth health) => Is(HealthStatus.Unhealthy, description, health);

    private static void Degraded(string description, ProjectionHealth health) => Is(HealthStatus.Degraded, description, health);

    private static void Is(HealthStatus status, string description, ProjectionHealth health)
    {
        var result = Report.Of(health);
        Assert.Equal((status, description), (result.Status, result.Description));
    }
}

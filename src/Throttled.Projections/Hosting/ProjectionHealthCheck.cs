using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Projections.Running;

namespace Throttled.Projections.Hosting;

internal sealed class ProjectionHealthCheck(IServiceProvider services, string name, ProjectionHealthLimits limits) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failure)
    {
        try
        {
            return services.GetKeyedService<Projection>(name) is { } projection
                ? new ProjectionHealthReport(name, failure, limits).Of(projection.Health)
                : new(failure, $"There is no projection '{name}'. Add it by 'AddProjection', or correct the name of the health check.");
        }
        catch (Exception error)
        {
            return new(failure, $"The projection '{name}' cannot be created: {error.Message}", error);
        }
    }
}

internal sealed class ProjectionHealthReport(string name, HealthStatus failure, ProjectionHealthLimits limits)
{
    internal HealthCheckResult Of(ProjectionHealth health)
    {
        List<string> failures = [.. Failures(health)];
        if (failures.Count > 0)
            return Result(failure, failures, health);
        List<string> warnings = [.. Warnings(health)];
        return warnings.Count > 0
            ? Result(HealthStatus.Degraded, warnings, health)
            : Result(HealthStatus.Healthy, Summary(health), health);
    }

    private static HealthCheckResult Result(HealthStatus status, IEnumerable<string> messages, ProjectionHealth health) =>
        new(status, string.Join(" ", messages), exception: null, Figures(health));

    // While a database is unavailable, the last seen values do not show the lag of the read model.
    private static Dictionary<string, object> Figures(ProjectionHealth health) => new(
    [
        new("offset", health.Offset),
        .. health.Unavailable is { } unavailable
            ? (KeyValuePair<string, object>[])[new("lag-unknown", $"It cannot reach {unavailable}.")]
            : [new("journal-end", health.JournalEnd), new("lag", health.Lag), new("lag-time", health.LagTime), new("same-lag-for", health.SameLagFor)],
        new("lanes", health.Lanes),
        new("dead-letters", health.DeadLetters),
        new("events", health.Handled.Events),
        new("unhandled", health.Handled.Unhandled),
    ]);

    private IEnumerable<string> Summary(ProjectionHealth health)
    {
        yield return $"The projection '{name}' runs.";
        if (health.Handled.Unhandled > 0)
            yield return FormattableString.Invariant($"Its handler did nothing with {health.Handled.Unhandled} of {health.Handled.Events} events; the log names their types (id 145).");
    }

    private IEnumerable<string> Failures(ProjectionHealth health)
    {
        if (health.Ended is { } why)
            yield return $"The projection '{name}' has ended: {why}.";
        if (health.HandlerFault is { } fault)
            yield return $"The projection '{name}' cannot create its read model. {fault}";
        if (health.FailedLanes is { Count: > 0 } lanes)
            yield return $"The projection '{name}' has stopped lanes: {string.Join("; ", lanes)}.";
        if (health.Unavailable is { } unavailable && health.UnavailableFor > health.Lease)
            yield return $"For {Seconds(health.UnavailableFor)}, the projection '{name}' has not reached {unavailable}.";
        if (IsLagKnown(health) && health.Lag > 0 && health.SameLagFor > limits.MaxSameLag)
        {
            yield return FormattableString.Invariant($"The projection '{name}' has handled no event for {Seconds(health.SameLagFor)}, longer than 'MaxSameLag' ")
                + FormattableString.Invariant($"({DurationText.Of(limits.MaxSameLag.Value)}), and is {health.Lag} events behind. Look at what its handler waits for.");
        }
    }

    private IEnumerable<string> Warnings(ProjectionHealth health)
    {
        if (!health.HasStarted)
            yield return $"The projection '{name}' has not started.";
        if (health.Unavailable is { } unavailable)
            yield return $"The projection '{name}' cannot reach {unavailable}.";
        if (health.Retrying is { } what)
            yield return $"The projection '{name}' is retrying: {what}.";
        if (health.Slow is { } slow)
            yield return $"The projection '{name}' is slow: {slow}. Look at what its handler waits for.";
        if (health.IsPaused)
            yield return $"The projection '{name}' is paused.";
        if (health.Handled.Events > 0 && health.Handled.Unhandled >= health.Handled.Events)
            yield return FormattableString.Invariant(
                $"The projection '{name}' has read {health.Handled.Events} events, and its handler did nothing with any of them; the log names their types (id 145). Correct the 'Decoder' or the handler, and reset the projection.");
        foreach (var lag in IsLagKnown(health) ? Lags(health) : [])
            yield return lag;
        if (health.DeadLetters > limits.MaxDeadLetters)
            yield return FormattableString.Invariant($"The projection '{name}' keeps {health.DeadLetters} dead letters; retry or discard them.");
    }

    private IEnumerable<string> Lags(ProjectionHealth health)
    {
        if (health.Lag > limits.MaxLagEvents)
            yield return FormattableString.Invariant($"The projection '{name}' is {health.Lag} events behind, more than 'MaxLagEvents' ({limits.MaxLagEvents}).");
        if (health.Lag > 0 && health.LagTime > limits.MaxLag)
            yield return $"The projection '{name}' has been behind for {Seconds(health.LagTime)}, longer than 'MaxLag' ({DurationText.Of(limits.MaxLag.Value)}).";
    }

    // A pause and an outage have their own messages.
    private static bool IsLagKnown(ProjectionHealth health) => health is { IsPaused: false, Unavailable: null, HasLanes: true };

    private static string Seconds(TimeSpan time) => DurationText.Of(TimeSpan.FromSeconds(Math.Floor(time.TotalSeconds)));
}

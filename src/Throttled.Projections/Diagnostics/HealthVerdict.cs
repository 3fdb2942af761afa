using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal;

namespace Throttled.Projections.Diagnostics;

/// <summary>What the state of a projection means.</summary>
/// <param name="name">The projection.</param>
/// <param name="failure">The status of one that does not do its work.</param>
internal sealed class HealthVerdict(string name, HealthStatus failure)
{
    internal HealthCheckResult Of(ProjectionHealth health)
    {
        List<string> failures = [.. Failures(health)];
        if (failures.Count > 0)
            return Result(failure, failures, health);
        List<string> worries = [.. Worries(health)];
        return worries.Count > 0
            ? Result(HealthStatus.Degraded, worries, health)
            : Result(HealthStatus.Healthy, Wellness(health), health);
    }

    private static HealthCheckResult Result(HealthStatus status, IEnumerable<string> said, ProjectionHealth health) =>
        new(status, string.Join(" ", said), exception: null, Figures(health));

    // While a database is unavailable, what was seen last tells nothing of how far behind the read model is.
    private static Dictionary<string, object> Figures(ProjectionHealth health) => new(
    [
        new("offset", health.Position),
        .. health.Away is { } away
            ? (KeyValuePair<string, object>[])[new("lag-unknown", $"It cannot reach {away}.")]
            : [new("journal-end", health.Head), new("lag", health.Lag)],
        new("lanes", health.Lanes),
        new("dead-letters", health.DeadLetters),
        new("events", health.Handled.Events),
        new("unhandled", health.Handled.Unhandled),
    ]);

    private IEnumerable<string> Wellness(ProjectionHealth health)
    {
        yield return $"The projection '{name}' runs.";
        if (health.Handled.Unhandled > 0)
            yield return FormattableString.Invariant($"Its handler did nothing with {health.Handled.Unhandled} of {health.Handled.Events} events; the log names their types (id 45).");
    }

    private IEnumerable<string> Failures(ProjectionHealth health)
    {
        if (health.Ended is { } why)
            yield return $"The projection '{name}' has ended: {why}.";
        if (health.HandlerFault is { } fault)
            yield return $"The projection '{name}' cannot make its read model. {fault}";
        if (health.FailedLanes is { Count: > 0 } lanes)
            yield return $"The projection '{name}' has stopped lanes: {string.Join("; ", lanes)}.";
        if (health.Away is { } away && health.AwayFor > health.Lease)
            yield return $"The projection '{name}' cannot reach {away}, for {Seconds(health.AwayFor)} by now.";
    }

    private IEnumerable<string> Worries(ProjectionHealth health)
    {
        if (!health.HasStarted)
            yield return $"The projection '{name}' has not started.";
        if (health.Away is { } away)
            yield return $"The projection '{name}' cannot reach {away}.";
        if (health.Retrying is { } what)
            yield return $"The projection '{name}' is retrying: {what}.";
        if (health.Slow is { } slow)
            yield return $"The projection '{name}' is slow: {slow}. Look at what its handler waits for.";
        if (health.IsPaused)
            yield return $"The projection '{name}' is paused.";
        if (health.Handled.Events > 0 && health.Handled.Unhandled >= health.Handled.Events)
            yield return FormattableString.Invariant(
                $"The projection '{name}' has read {health.Handled.Events} events, and its handler did nothing with any of them; the log names their types (id 45). Correct the 'Decoder' or the handler, and reset the projection.");
        if (health.DeadLetters > 0)
            yield return FormattableString.Invariant($"The projection '{name}' keeps {health.DeadLetters} dead letters; retry or discard them.");
    }

    private static string Seconds(TimeSpan time) => DurationText.Of(TimeSpan.FromSeconds(Math.Floor(time.TotalSeconds)));
}

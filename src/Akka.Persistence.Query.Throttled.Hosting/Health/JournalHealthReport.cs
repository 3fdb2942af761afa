using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>Turns a journal's health into the result of a health check.</summary>
internal sealed class JournalHealthReport(string pluginId, JournalOptions options, HealthStatus failure)
{
    internal HealthCheckResult Of(JournalHealth health)
    {
        var figures = new Dictionary<string, object> { ["journal"] = pluginId };
        foreach (var (key, value) in Figures(health))
            figures[key] = value;
        if (health.UnreadableReason is { } reason)
            return new(failure, $"The journal '{pluginId}' cannot be read: {reason}", exception: null, figures);
        string[] warnings = [.. Warnings(health)];
        return warnings.Length > 0
            ? new(HealthStatus.Degraded, string.Join(" ", warnings), exception: null, figures)
            : new(HealthStatus.Healthy, $"The journal '{pluginId}' can be read.", exception: null, figures);
    }

    /// <summary>The warnings about a journal that can be read; none if it is healthy.</summary>
    internal IEnumerable<string> Warnings(JournalHealth health) => [.. HighWaterMark(health), .. Permits(health)];

    internal static IEnumerable<(string Key, object Value)> Figures(JournalHealth health) =>
    [
        ("permits", health.Permits),
        ("permits-held", health.PermitsHeld),
        ("longest-permit-wait", health.LongestWait ?? TimeSpan.Zero),
        ("high-water-mark-stalled-for", health.HighWaterMarkStalledFor ?? TimeSpan.Zero),
    ];

    private IEnumerable<string> HighWaterMark(JournalHealth health)
    {
        if (health.HighWaterMarkStalledFor is { } time && time > options.GapTimeout)
        {
            yield return $"The high-water mark of '{pluginId}' has been stalled for {Seconds(time)}, longer than '{pluginId}.gap-timeout' "
                + $"({DurationText.Of(options.GapTimeout)}), by a transaction that may still commit. Queries by tag, by slices and of all events wait "
                + "for it; the log names the transaction (ids 15 and 21).";
        }
    }

    private IEnumerable<string> Permits(JournalHealth health)
    {
        if (health.LongestWait is { } time && time > options.QueryThrottleWarning)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"A query of '{pluginId}' has waited for a permit for {Seconds(time)}, longer than '{pluginId}.query-throttle-warning' "
                + $"({DurationText.Of(options.QueryThrottleWarning)}): {health.PermitsHeld} of {health.Permits} permits are held. {Remedy(health)}");
        }
    }

    private string Remedy(JournalHealth health)
    {
        if (health.PermitsHeld < health.Permits && options.MaxQueriesPerSecond > 0)
            return $"Raise '{pluginId}.max-queries-per-second' if the database has capacity.";
        return health.Permits < options.MaxConcurrentQueries
            ? "Find out what keeps the database busy: it does not accept more statements at once."
            : $"Find out what keeps the database busy, or raise '{pluginId}.max-concurrent-queries' if it has capacity.";
    }

    private static string Seconds(TimeSpan time) => DurationText.Of(TimeSpan.FromSeconds(Math.Floor(time.TotalSeconds)));
}

using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>
/// Combines the health of a journal's shards into one result. If some shards can be read, the journal is still of use. If no
/// shard can be read, or one shard refuses its queries for good, the result is <c>failure</c>.
/// </summary>
internal sealed class ShardsHealthReport(string pluginId, HealthStatus failure)
{
    internal HealthCheckResult Of(IReadOnlyList<ShardHealth> shards)
    {
        var away = shards.Count(each => each.Health.UnreadableReason is not null);
        // Queries wait for an unavailable shard. A shard that refuses a query ends it in all shards.
        var isRefused = shards.Any(each => each.Health.IsPermanent);
        string[] warnings = [.. shards.SelectMany(Warnings)];
        return new(
            away == shards.Count || isRefused ? failure : warnings.Length > 0 ? HealthStatus.Degraded : HealthStatus.Healthy,
            string.Join(" ", [Summary(away, shards.Count, isRefused), .. warnings]),
            exception: null,
            Figures(shards));
    }

    private string Summary(int unreadable, int count, bool isRefused) => FormattableString.Invariant(unreadable switch
    {
        0 => $"The journal '{pluginId}' can be read in all of its {count} shards.",
        _ when unreadable == count => $"The journal '{pluginId}' cannot be read in any of its {count} shards.",
        _ when isRefused => $"The journal '{pluginId}' cannot be read in {unreadable} of its {count} shards: queries of all shards fail.",
        _ => $"The journal '{pluginId}' cannot be read in {unreadable} of its {count} shards: queries wait for the events of these shards, and deliver those of the others.",
    });

    private IEnumerable<string> Warnings(ShardHealth shard)
    {
        var prefix = ShardIdentity.PrefixOf(shard.Options.Shard);
        return shard.Health.UnreadableReason is { } reason
            ? [$"{prefix}{reason}"]
            : new JournalHealthReport(pluginId, shard.Options, failure).Warnings(shard.Health).Select(each => prefix + each);
    }

    private Dictionary<string, object> Figures(IReadOnlyList<ShardHealth> shards)
    {
        JournalHealth[] read = [.. shards.Select(each => each.Health).Where(each => each.UnreadableReason is null)];
        var figures = new Dictionary<string, object>
        {
            ["journal"] = pluginId,
            ["shards"] = shards.Count,
            ["permits"] = read.Sum(each => each.Permits),
            ["permits-held"] = read.Sum(each => each.PermitsHeld),
            ["longest-permit-wait"] = read.Max(each => each.LongestWait) ?? TimeSpan.Zero,
            ["high-water-mark-stalled-for"] = read.Max(each => each.HighWaterMarkStalledFor) ?? TimeSpan.Zero,
        };
        for (var i = 0; i < shards.Count; i++)
        {
            var shard = string.Create(CultureInfo.InvariantCulture, $"shard-{i}.");
            foreach (var (key, value) in Figures(shards[i].Health))
                figures[shard + key] = value;
        }
        return figures;
    }

    private static IEnumerable<(string Key, object Value)> Figures(JournalHealth health) => health.UnreadableReason is { } reason
        ? [("unreadable", reason)]
        : [.. JournalHealthReport.Figures(health)];
}

internal sealed record ShardHealth(JournalOptions Options, JournalHealth Health)
{
    /// <summary>Checks a shard. A failure is part of the result, beside those of the other shards.</summary>
    /// <param name="engine">The shard's engine.</param>
    /// <param name="left">The remaining time.</param>
    /// <param name="limit">The time limit of the whole check, for the message.</param>
    /// <param name="cancellation">Cancelled when the caller does not wait any more.</param>
    internal static async Task<ShardHealth> CheckAsync(JournalEngine engine, TimeSpan left, TimeSpan limit, CancellationToken cancellation)
    {
        try
        {
            return new(engine.Options, await engine.CheckHealthAsync(cancellation).WaitAsync(left, cancellation).ConfigureAwait(false));
        }
        catch (TimeoutException)
        {
            return new(engine.Options, new() { UnreadableReason = $"It did not answer within {DurationText.Of(limit)}." });
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            return new(engine.Options, new() { UnreadableReason = error.Message });
        }
    }
}

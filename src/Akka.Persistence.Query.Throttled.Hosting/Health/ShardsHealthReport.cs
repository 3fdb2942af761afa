using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>What the figures of a journal's shards mean together: those that can be read are of use without the others.</summary>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="failure">The status of a journal of which no shard can be read, or one refuses.</param>
internal sealed class ShardsHealthReport(string pluginId, HealthStatus failure)
{
    /// <param name="shards">What was found, in the order of the shards; at least two.</param>
    internal HealthCheckResult Of(IReadOnlyList<ShardHealth> shards)
    {
        var away = shards.Count(each => each.Health.UnreadableReason is not null);
        // Queries wait for an unavailable shard; one that refuses ends the queries of all.
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

/// <summary>What one health check of a shard found.</summary>
/// <param name="Options">How the shard is read.</param>
/// <param name="Health">How it is doing.</param>
internal sealed record ShardHealth(JournalOptions Options, JournalHealth Health)
{
    /// <summary>Checks a shard. Its failure is reported beside the others.</summary>
    /// <param name="engine">Its engine.</param>
    /// <param name="left">How long it may still take.</param>
    /// <param name="limit">How long all of it may take, for the message.</param>
    /// <param name="cancellation">Who asks has left.</param>
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

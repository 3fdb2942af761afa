using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Throttled.Journal;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>What the figures of a journal's shards mean together: those that can be read are of use without the others.</summary>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="failure">The status of a journal of which no shard can be read, or one refuses.</param>
internal sealed class ShardsVerdict(string pluginId, HealthStatus failure)
{
    /// <param name="shards">What was found, in the order of the shards; at least two.</param>
    internal HealthCheckResult Of(IReadOnlyList<ShardLook> shards)
    {
        var away = shards.Count(each => each.Health.UnreadableReason is not null);
        // Queries wait for an unavailable shard; one that refuses ends the queries of all.
        var isRefused = shards.Any(each => each.Health.IsPermanent);
        string[] worries = [.. shards.SelectMany(Worries)];
        return new(
            away == shards.Count || isRefused ? failure : worries.Length > 0 ? HealthStatus.Degraded : HealthStatus.Healthy,
            string.Join(" ", [Summary(away, shards.Count, isRefused), .. worries]),
            exception: null,
            Figures(shards));
    }

    private string Summary(int away, int count, bool isRefused) => FormattableString.Invariant(away switch
    {
        0 => $"The journal '{pluginId}' can be read in all of its {count} shards.",
        _ when away == count => $"The journal '{pluginId}' cannot be read in any of its {count} shards.",
        _ when isRefused => $"The journal '{pluginId}' cannot be read in {away} of its {count} shards: queries of all shards fail.",
        _ => $"The journal '{pluginId}' cannot be read in {away} of its {count} shards: queries wait for their events, and deliver those of the others.",
    });

    private IEnumerable<string> Worries(ShardLook shard)
    {
        var prefix = ShardIdentity.PrefixOf(shard.Options.Shard);
        return shard.Health.UnreadableReason is { } reason
            ? [$"{prefix}{reason}"]
            : new HealthVerdict(pluginId, shard.Options, failure).Worries(shard.Health).Select(each => prefix + each);
    }

    private Dictionary<string, object> Figures(IReadOnlyList<ShardLook> shards)
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
        : [.. HealthVerdict.Figures(health)];
}

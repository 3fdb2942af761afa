using Akka.Actor;
using Akka.Event;
using Throttled.Journal;
using Throttled.Journal.Sharding;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>Asks all shards how they are and makes one answer of theirs, in time whatever they do.</summary>
/// <param name="path">The path of the sharded journal.</param>
/// <param name="map">Its shards.</param>
/// <param name="time">The clock.</param>
internal sealed class ShardsHealth(string path, ShardMap map, TimeProvider time)
{
    // As long as a look at a database takes at most.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <param name="ask">Asks a shard; cancelled when nobody waits for its answer any more.</param>
    /// <param name="cancellation">Nobody waits for the whole any more.</param>
    internal async Task<PersistenceHealthCheckResult> AskAsync(
        Func<int, CancellationToken, Task<PersistenceHealthCheckResult>> ask, CancellationToken cancellation)
    {
        using var given = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        try
        {
            return Of(await Task.WhenAll(Enumerable.Range(0, map.Count).Select(shard => AskAsync(shard, ask, given.Token))).ConfigureAwait(false));
        }
        finally
        {
            await given.CancelAsync().ConfigureAwait(false);
        }
    }

    private async Task<PersistenceHealthCheckResult> AskAsync(
        int shard, Func<int, CancellationToken, Task<PersistenceHealthCheckResult>> ask, CancellationToken cancellation)
    {
        try
        {
            return await ask(shard, cancellation).WaitAsync(Patience, time, cancellation).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            var why = error is TimeoutException ? FormattableString.Invariant($"It did not answer within {Patience.TotalSeconds} s.") : error.Message;
            return new(PersistenceHealthStatus.Unhealthy, why, error);
        }
    }

    // As long as some shards work, so do their entities.
    private PersistenceHealthCheckResult Of(PersistenceHealthCheckResult[] shards)
    {
        var ill = shards.Index().Where(each => each.Item.Status != PersistenceHealthStatus.Healthy).ToList();
        var status = ill.Count == 0 ? PersistenceHealthStatus.Healthy
            : ill.Count == shards.Length && ill.TrueForAll(each => each.Item.Status == PersistenceHealthStatus.Unhealthy) ? PersistenceHealthStatus.Unhealthy
            : PersistenceHealthStatus.Degraded;
        var data = new Dictionary<string, object> { ["journal"] = path, ["shards"] = shards.Length };
        foreach (var (shard, health) in shards.Index())
            data[FormattableString.Invariant($"shard-{shard}.status")] = health.Status.ToString();
        return new(
            status,
            ill.Count == 0 ? "Ok" : string.Join(' ', ill.Select(each => Named(each.Index, each.Item.Description ?? each.Item.Status.ToString())).Distinct()),
            ill.Select(each => each.Item.Exception).FirstOrDefault(error => error is not null),
            data);
    }

    // What was found out here names the shard itself.
    private string Named(int shard, string description) => ShardPlace.PrefixOf(new(map, shard)) is var prefix && description.StartsWith(prefix, StringComparison.Ordinal)
        ? description
        : prefix + description;
}

/// <summary>Asks for the health of one shard. The answer goes to the sender.</summary>
/// <param name="Shard">Which.</param>
/// <param name="Check">What its write plugin is asked.</param>
internal sealed record CheckShardHealth(int Shard, CheckJournalHealth Check) : INoSerializationVerificationNeeded, IDeadLetterSuppression;

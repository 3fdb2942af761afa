using Akka.Actor;
using Akka.Event;
using Throttled.Journal;

namespace Akka.Persistence.Sharded;

/// <summary>Requests the health of every shard and combines the answers, within a time limit.</summary>
internal sealed class ShardsHealth(string path, ShardMap map, TimeProvider time)
{
    // Also the longest time for checking a shard's mark.
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(5);

    /// <param name="ask">Requests the health of a shard; cancelled when the answer is not needed any more.</param>
    /// <param name="cancellation">Cancels the whole check.</param>
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
            return await ask(shard, cancellation).WaitAsync(AnswerTimeout, time, cancellation).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            var why = error is TimeoutException ? FormattableString.Invariant($"It did not answer within {AnswerTimeout.TotalSeconds} s.") : error.Message;
            return new(PersistenceHealthStatus.Unhealthy, why, error);
        }
    }

    // Unhealthy only if all shards are unhealthy, because the entities of a healthy shard still work.
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

    // Errors from this journal already name the shard.
    private string Named(int shard, string description) => ShardIdentity.PrefixOf(new(map, shard)) is var prefix && description.StartsWith(prefix, StringComparison.Ordinal)
        ? description
        : prefix + description;
}

/// <summary>Requests the health of one shard. The answer goes to the sender.</summary>
internal sealed record CheckShardHealth(int Shard, CheckJournalHealth Check) : INoSerializationVerificationNeeded, IDeadLetterSuppression;

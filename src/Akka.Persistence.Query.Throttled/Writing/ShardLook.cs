using Throttled.Journal;
using Throttled.Journal.Database;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>Probes whether a database is that of a shard, and marks it if it is empty.</summary>
internal static class ShardLook
{
    // Half of what Akka.NET's journals wait for a database (circuit-breaker.call-timeout): while one does not answer, all wait for it once.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <param name="identity">The shard.</param>
    /// <param name="plugin">The path of its write plugin, for messages.</param>
    /// <param name="open">Opens its database.</param>
    internal static async Task<ShardLooked> RunAsync(ShardIdentity identity, string plugin, Func<JournalAppender> open)
    {
        try
        {
            using var patience = new CancellationTokenSource(Patience, TimeProvider.System);
            // On SQLite, who waits for another's lock hears of no cancellation.
            var stamping = StampAsync(identity, open, patience.Token);
            _ = stamping.ContinueWith(
                static ended => ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            await stamping.WaitAsync(patience.Token).ConfigureAwait(false);
            return new(identity.Shard, null);
        }
        catch (ShardMarkException error)
        {
            return new(identity.Shard, error.In($"'{plugin}'"));
        }
        catch (OperationCanceledException)
        {
            return new(identity.Shard, Away(identity, plugin, FormattableString.Invariant($"it does not answer within {Patience.TotalSeconds} s"), null));
        }
        catch (Exception error)
        {
            return new(identity.Shard, Away(identity, plugin, error.Message, error));
        }
    }

    private static async Task StampAsync(ShardIdentity identity, Func<JournalAppender> open, CancellationToken cancellation)
    {
        var appender = open();
        await using var closing = appender.ConfigureAwait(false);
        await appender.MarkAsync(identity, cancellation).ConfigureAwait(false);
    }

    private static JournalException Away(ShardIdentity identity, string plugin, string why, Exception? error) =>
        new($"{ShardIdentity.PrefixOf(identity)}The database of '{plugin}' cannot be probed: {why}", error);
}

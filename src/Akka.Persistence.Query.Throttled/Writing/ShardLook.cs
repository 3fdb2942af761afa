using Throttled.Journal;
using Throttled.Journal.Sharding;

namespace Akka.Persistence.Query.Throttled.Writing;

/// <summary>Looks whether a database is that of a shard, and marks it where it is empty.</summary>
internal static class ShardLook
{
    // Half of what Akka.NET's journals wait for a database (circuit-breaker.call-timeout): while one does not answer, all wait for it once.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <param name="place">The shard.</param>
    /// <param name="plugin">The path of its write plugin, for messages.</param>
    /// <param name="open">Opens its database.</param>
    internal static async Task<ShardLooked> RunAsync(ShardPlace place, string plugin, Func<JournalAppender> open)
    {
        try
        {
            using var patience = new CancellationTokenSource(Patience, TimeProvider.System);
            // On SQLite, who waits for another's lock hears of no cancellation.
            var stamping = StampAsync(place, open, patience.Token);
            _ = stamping.ContinueWith(
                static ended => ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            await stamping.WaitAsync(patience.Token).ConfigureAwait(false);
            return new(place.Shard, null);
        }
        catch (ShardStampException error)
        {
            return new(place.Shard, error.In($"'{plugin}'"));
        }
        catch (OperationCanceledException)
        {
            return new(place.Shard, Away(place, plugin, FormattableString.Invariant($"it does not answer within {Patience.TotalSeconds} s"), null));
        }
        catch (Exception error)
        {
            return new(place.Shard, Away(place, plugin, error.Message, error));
        }
    }

    private static async Task StampAsync(ShardPlace place, Func<JournalAppender> open, CancellationToken cancellation)
    {
        var appender = open();
        await using var closing = appender.ConfigureAwait(false);
        await appender.StampAsync(place, cancellation).ConfigureAwait(false);
    }

    private static JournalException Away(ShardPlace place, string plugin, string why, Exception? error) =>
        new($"{ShardPlace.PrefixOf(place)}The database of '{plugin}' cannot be looked at: {why}", error);
}

using Akka.Actor;
using Akka.Event;
using Throttled.Journal.Database;
using Throttled.Journal;

namespace Akka.Persistence.Sharded;

/// <summary>Probes whether a database is that of a shard, and marks it if it is empty.</summary>
internal static class ShardProbe
{
    // Half of the time that Akka.NET's journals wait for a database (circuit-breaker.call-timeout). If a database does not
    // answer, all messages wait this long, once.
    private static readonly TimeSpan ProbeTimeout = TimeSpan.FromSeconds(5);

    internal static async Task<ShardProbeResult> RunAsync(ShardIdentity identity, string plugin, Func<JournalAppender> open)
    {
        try
        {
            using var timeout = new CancellationTokenSource(ProbeTimeout, TimeProvider.System);
            // On SQLite, waiting for another connection's lock cannot be cancelled.
            var marking = MarkAsync(identity, open, timeout.Token);
            _ = marking.ContinueWith(
                static ended => ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            await marking.WaitAsync(timeout.Token).ConfigureAwait(false);
            return new(identity.Shard, null);
        }
        catch (ShardMarkException error)
        {
            return new(identity.Shard, error.In($"'{plugin}'"));
        }
        catch (OperationCanceledException)
        {
            return new(identity.Shard, Unavailable(identity, plugin, FormattableString.Invariant($"it does not answer within {ProbeTimeout.TotalSeconds} s"), null));
        }
        catch (Exception error)
        {
            return new(identity.Shard, Unavailable(identity, plugin, error.Message, error));
        }
    }

    private static async Task MarkAsync(ShardIdentity identity, Func<JournalAppender> open, CancellationToken cancellation)
    {
        var appender = open();
        await using var closing = appender.ConfigureAwait(false);
        await appender.MarkAsync(identity, cancellation).ConfigureAwait(false);
    }

    private static JournalException Unavailable(ShardIdentity identity, string plugin, string why, Exception? error) =>
        new($"{ShardIdentity.PrefixOf(identity)}The database of '{plugin}' cannot be probed: {why}", error);
}

/// <summary>The result of a probe of a shard's database. The error is null if the database is that shard's.</summary>
internal sealed record ShardProbeResult(int Shard, Exception? Error) : INoSerializationVerificationNeeded, IDeadLetterSuppression;

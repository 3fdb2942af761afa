using Throttled.Journal;
using Throttled.Journal.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Hosting.Health;

/// <summary>What one health check of a shard found.</summary>
/// <param name="Options">How the shard is read.</param>
/// <param name="Health">How it is doing.</param>
internal sealed record ShardLook(JournalOptions Options, JournalHealth Health)
{
    /// <summary>Checks a shard. Its failure is reported beside the others.</summary>
    /// <param name="engine">Its engine.</param>
    /// <param name="left">How long it may still take.</param>
    /// <param name="limit">How long all of it may take, for the message.</param>
    /// <param name="cancellation">Who asks has left.</param>
    internal static async Task<ShardLook> AtAsync(JournalEngine engine, TimeSpan left, TimeSpan limit, CancellationToken cancellation)
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

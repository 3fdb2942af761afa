using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>How one engine ends, and the exception that its queries fail with. Thread-safe.</summary>
/// <param name="pluginId">The id of the read journal.</param>
/// <param name="system">The name of the actor system.</param>
/// <param name="log">Where it logs.</param>
/// <param name="supervised">Opens the next one.</param>
internal sealed class EngineLife(string pluginId, string system, ILoggingAdapter log, SupervisedEngine supervised)
{
    // It may end before it is whole.
    private readonly TaskCompletionSource<JournalEngine> _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile Func<Exception>? _reason;

    internal JournalEngine Begin(JournalEngine engine)
    {
        _begun.SetResult(engine);
        return engine;
    }

    /// <summary>What queries fail with when it is disposed of.</summary>
    internal Exception Reason() => _reason?.Invoke() ?? new JournalClosedException(pluginId, system);

    /// <summary>It has ended by a defect.</summary>
    internal void Ended(Func<Exception> reason) => _ = EndAsync(reason, isStopped: false);

    /// <summary>Its throttler has stopped; where it is disposed of, as it should.</summary>
    internal void ThrottlerStopped() => _ = EndAsync(
        () => new JournalException(
            $"Somebody has stopped the QueryThrottler of '{pluginId}', and all its queries have ended. The journal opens again by itself: begin them again."),
        isStopped: true);

    private async Task EndAsync(Func<Exception> reason, bool isStopped)
    {
        var engine = await _begun.Task.ConfigureAwait(false);
        if (engine.IsClosing)
            return;
        _reason = reason;
        if (isStopped)
            log.ThrottlerStopped(pluginId);
        supervised.Ended(engine);
    }
}

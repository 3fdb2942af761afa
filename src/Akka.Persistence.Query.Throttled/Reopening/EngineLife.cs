using Akka.Event;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Reopening;

/// <summary>Watches one engine, and makes the exception with which its queries fail when it ends. Thread-safe.</summary>
internal sealed class EngineLife(string pluginId, string system, ILoggingAdapter log, SupervisedEngine supervised)
{
    // The throttler may stop before the engine's constructor has returned.
    private readonly TaskCompletionSource<JournalEngine> _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile Func<Exception>? _reason;

    internal JournalEngine Begin(JournalEngine engine)
    {
        _begun.SetResult(engine);
        return engine;
    }

    /// <summary>The exception with which queries fail when the engine is disposed.</summary>
    internal Exception Reason() => _reason?.Invoke() ?? new JournalClosedException(pluginId, system);

    /// <summary>A defect ended the engine.</summary>
    internal void Ended(Func<Exception> reason) => _ = EndAsync(reason, isStopped: false);

    /// <summary>The engine's throttler stopped. If the engine is being disposed, that is expected and has no effect.</summary>
    internal void ThrottlerStopped() => _ = EndAsync(
        () => new JournalException(
            $"Something stopped the QueryThrottler actor of '{pluginId}', so all queries of this read journal ended. It opens again by itself; start the query again."),
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

using Throttled.Journal.Database;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>
/// When the tail polls next: soon while there are new rows or somebody woke it, then less often by doubling, up to the refresh
/// interval. Whoever writes steadily, but not within every shortest pause, is not made to wait a whole interval for it. On the loop.
/// </summary>
internal sealed class PollSchedule(JournalContext context, Action poll) : IDisposable
{
    private readonly LoopTimer _timer = new(context.Loop, _ => poll());
    private TimeSpan _polledAt;
    private TimeSpan _pause;
    private bool _wasWoken;

    /// <summary>A poll begins.</summary>
    internal void Begin()
    {
        _timer.Cancel();
        _wasWoken = false;
        _polledAt = context.Loop.Now;
    }

    /// <summary>A poll has ended; the next comes in its time.</summary>
    /// <param name="isNew">Whether it found anything.</param>
    internal void Next(bool isNew)
    {
        _pause = isNew || _wasWoken ? context.Options.MinPollInterval : Longer(_pause);
        _timer.Set(_polledAt + _pause - context.Loop.Now);
    }

    /// <summary>Polls as soon as it may.</summary>
    internal void Soon() => _timer.Set(_polledAt + context.Options.MinPollInterval - context.Loop.Now);

    /// <summary>Polls after a pause.</summary>
    internal void After(TimeSpan pause) => _timer.Set(pause);

    /// <summary>The poll that runs now is followed by another soon.</summary>
    internal void Wake() => _wasWoken = true;

    internal void Stop() => _timer.Cancel();

    public void Dispose() => _timer.Dispose();

    private TimeSpan Longer(TimeSpan pause)
    {
        var most = context.Options.RefreshInterval;
        var doubled = 2 * (pause > most / 32 ? pause : most / 32);
        return doubled < most ? doubled : most;
    }
}

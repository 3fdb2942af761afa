using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>
/// When the tail polls next: soon while there are new rows or somebody woke it, then less often by doubling, up to the refresh
/// interval. Whoever writes steadily, but not within every shortest pause, is not made to wait a whole interval for it. On the loop.
/// </summary>
internal sealed class TailPace(JournalContext context, Action look) : IDisposable
{
    private readonly LoopTimer _timer = new(context.Loop, _ => look());
    private TimeSpan _lookedAt;
    private TimeSpan _pause;
    private bool _wasWoken;

    /// <summary>A poll begins.</summary>
    internal void Begin()
    {
        _timer.Cancel();
        _wasWoken = false;
        _lookedAt = context.Loop.Now;
    }

    /// <summary>A poll has ended; the next comes in its time.</summary>
    /// <param name="isNews">Whether it found anything.</param>
    internal void Next(bool isNews)
    {
        _pause = isNews || _wasWoken ? context.Options.TailMinInterval : Longer(_pause);
        _timer.Set(_lookedAt + _pause - context.Loop.Now);
    }

    /// <summary>Polls as soon as it may.</summary>
    internal void Soon() => _timer.Set(_lookedAt + context.Options.TailMinInterval - context.Loop.Now);

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

using Throttled.Journal.Database;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>
/// When the tail polls next: after the least interval while there are new rows or after a wake-up, and for some 20 ms longer; then with a doubling
/// interval up to the refresh interval. Both help writers whose pauses are a little longer than the least interval: their events do not wait for a
/// whole refresh interval. On the loop.
/// </summary>
internal sealed class PollSchedule(JournalContext context, Action poll) : IDisposable
{
    // How often the least interval is repeated without new rows. If it is 10 ms or longer, once.
    private readonly int _mostRepeats = (int)Math.Clamp(Math.Ceiling(20 / context.Options.MinPollInterval.TotalMilliseconds) - 1, 1, 20);
    private readonly LoopTimer _timer = new(context.Loop, _ => poll());
    private TimeSpan _polledAt;
    private TimeSpan _pause;
    private bool _wasWoken;
    private int _repeatsLeft;

    internal void Begin()
    {
        _timer.Cancel();
        _wasWoken = false;
        _polledAt = context.Loop.Now;
    }

    /// <summary>Schedules the next poll after one has ended.</summary>
    internal void Next(bool isNew)
    {
        isNew |= _wasWoken;
        _pause = isNew || _repeatsLeft > 0 ? context.Options.MinPollInterval : Longer(_pause);
        _repeatsLeft = isNew ? _mostRepeats : Math.Max(0, _repeatsLeft - 1);
        _timer.Set(_polledAt + _pause - context.Loop.Now);
    }

    /// <summary>Polls as soon as the least interval allows.</summary>
    internal void Soon() => _timer.Set(_polledAt + context.Options.MinPollInterval - context.Loop.Now);

    internal void After(TimeSpan pause) => _timer.Set(pause);

    /// <summary>Makes the next poll follow the running one soon.</summary>
    internal void Wake() => _wasWoken = true;

    internal void Stop() => _timer.Cancel();

    public void Dispose() => _timer.Dispose();

    private TimeSpan Longer(TimeSpan pause)
    {
        var most = context.Options.RefreshInterval;
        var doubled = 2 * (pause > TimeSpan.Zero ? pause : most / 32);
        return doubled < most ? doubled : most;
    }
}

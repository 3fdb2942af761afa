namespace Throttled.Journal.Loop;

/// <summary>A timer that fires on the loop, once each time it is set. Used on the loop only.</summary>
internal sealed class LoopTimer : IDisposable
{
    private readonly JournalLoop _loop;
    private readonly Action<TimeSpan> _rang;
    private readonly ITimer _timer;
    private TimeSpan _due;

    internal LoopTimer(JournalLoop loop, Action<TimeSpan> rang)
    {
        _loop = loop;
        _rang = rang;
        // Suppress the flow of the execution context. Otherwise the timer keeps the current context's objects alive.
        using (ExecutionContext.SuppressFlow())
            _timer = loop.Time.CreateTimer(static self => ((LoopTimer)self!).Post(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal bool IsSet { get; private set; }

    /// <summary>Fires after a delay; an earlier setting is replaced.</summary>
    internal void Set(TimeSpan delay)
    {
        IsSet = true;
        _due = _loop.Now + delay;
        _timer.Change(Whole(delay), Timeout.InfiniteTimeSpan);
    }

    internal void Cancel() => IsSet = false;

    public void Dispose()
    {
        IsSet = false;
        _timer.Dispose();
    }

    // Timers use whole milliseconds and round down. Rounding up avoids a timer that fires early and must be set again.
    private static TimeSpan Whole(TimeSpan delay) => TimeSpan.FromMilliseconds(Math.Ceiling(Math.Max(0, delay.TotalMilliseconds)));

    private void Post() => _loop.Post(static self => ((LoopTimer)self).Ring(), this);

    private void Ring()
    {
        if (!IsSet)
            return;
        var now = _loop.Now;
        if (now < _due)
        {
            // A callback of an earlier setting, or a timer that fired early.
            _timer.Change(Whole(_due - now), Timeout.InfiniteTimeSpan);
            return;
        }
        IsSet = false;
        _rang(now);
    }
}

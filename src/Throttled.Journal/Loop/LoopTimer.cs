namespace Throttled.Journal.Loop;

/// <summary>A timer that rings on the loop, once for each time that it is set. Used on the loop alone.</summary>
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
        // Without the flow of the execution context: a timer must not keep alive what happened to be around it.
        using (ExecutionContext.SuppressFlow())
            _timer = loop.Time.CreateTimer(static self => ((LoopTimer)self!).Post(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal bool IsSet { get; private set; }

    /// <summary>Rings after a delay; a ring that was set before is forgotten.</summary>
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

    // Timers count whole milliseconds and round down; waking early would only cost a second round.
    private static TimeSpan Whole(TimeSpan delay) =>
        TimeSpan.FromMilliseconds(Math.Ceiling(Math.Max(0, delay.TotalMilliseconds)));

    private void Post() => _loop.Post(static self => ((LoopTimer)self).Ring(), this);

    private void Ring()
    {
        if (!IsSet)
            return;
        var now = _loop.Now;
        if (now < _due)
        {
            // The ring of an earlier setting that was on its way, or a timer that rang early.
            _timer.Change(Whole(_due - now), Timeout.InfiniteTimeSpan);
            return;
        }
        IsSet = false;
        _rang(now);
    }
}

namespace Throttled.Testing.Scripted;

/// <summary>A clock that moves only when a test advances it. Timers fire on the way, the earliest first.</summary>
internal sealed class FakeClock : TimeProvider
{
    private static readonly DateTimeOffset Start = new(2025, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly List<FakeTimer> _timers = [];
    private readonly Lock _lock = new();
    private int _alive;
    private bool _isAdvancing;

    internal TimeSpan Now { get; private set; }

    /// <summary>The number of timers that are set.</summary>
    internal int Set
    {
        get
        {
            lock (_lock)
                return _timers.Count;
        }
    }

    /// <summary>The number of timers that were created and not disposed.</summary>
    internal int Alive => Volatile.Read(ref _alive);

    /// <summary>The time of the next timer; null if none is set.</summary>
    internal TimeSpan? NextRing
    {
        get
        {
            lock (_lock)
                return _timers.Count == 0 ? null : _timers.Min(timer => timer.Due);
        }
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now.Ticks;

    public override DateTimeOffset GetUtcNow() => Start + Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Assert.Equal(Timeout.InfiniteTimeSpan, period);
        var timer = new FakeTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        Interlocked.Increment(ref _alive);
        return timer;
    }

    /// <exception cref="InvalidOperationException">Another thread advances the clock at the same time, so one of the two would set it back.</exception>
    internal void Advance(TimeSpan time) => Move(time, end =>
    {
        while (TakeDue(end) is { } timer)
        {
            Now = timer.Due > Now ? timer.Due : Now;
            timer.Ring();
        }
        Now = end;
    });

    /// <summary>Moves to a later time at once, so a timer that is set again each time it fires does so only once.</summary>
    /// <exception cref="InvalidOperationException">Another thread advances the clock at the same time, so one of the two would set it back.</exception>
    internal void Jump(TimeSpan time) => Move(time, end =>
    {
        Now = end;
        while (TakeDue(end) is { } timer)
            timer.Ring();
    });

    private void Move(TimeSpan time, Action<TimeSpan> moveTo)
    {
        if (Interlocked.Exchange(ref _isAdvancing, true))
            throw new InvalidOperationException("The clock is being advanced by another call.");
        try
        {
            moveTo(Now + time);
        }
        finally
        {
            Volatile.Write(ref _isAdvancing, false);
        }
    }

    private FakeTimer? TakeDue(TimeSpan end)
    {
        lock (_lock)
        {
            var next = _timers.Where(timer => timer.Due <= end).MinBy(timer => timer.Due);
            if (next is not null)
                _timers.Remove(next);
            return next;
        }
    }

    private sealed class FakeTimer(FakeClock clock, Action ring) : ITimer
    {
        private bool _isDisposed;

        internal TimeSpan Due { get; private set; }

        internal void Ring() => ring();

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._lock)
            {
                clock._timers.Remove(this);
                if (_isDisposed)
                    return false;
                Due = clock.Now + dueTime;
                if (dueTime != Timeout.InfiniteTimeSpan)
                    clock._timers.Add(this);
                return true;
            }
        }

        public void Dispose()
        {
            lock (clock._lock)
            {
                if (!_isDisposed)
                    Interlocked.Decrement(ref clock._alive);
                _isDisposed = true;
                clock._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}

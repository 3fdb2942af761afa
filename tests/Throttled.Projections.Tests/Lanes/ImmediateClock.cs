namespace Throttled.Projections.Tests.Lanes;

/// <summary>A clock on which no time is waited for: a timer rings as it is set, and its time has gone by.</summary>
internal sealed class ImmediateClock : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Ring(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class Ring(ImmediateClock clock, TimerCallback callback, object? state) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (dueTime == Timeout.InfiniteTimeSpan)
                return true;
            Interlocked.Add(ref clock._ticks, dueTime.Ticks);
            callback(state);
            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}

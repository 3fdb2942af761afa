namespace Throttled.Projections.Tests.Lanes;

/// <summary>A clock without waiting: a timer fires when it is set, and the clock moves on by its time.</summary>
internal sealed class ImmediateClock : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ImmediateTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private sealed class ImmediateTimer(ImmediateClock clock, TimerCallback callback, object? state) : ITimer
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

namespace Throttled.Testing.Scripted;

/// <summary>
/// A clock for code that polls a database. Its time stamps run ten times as fast as the system's, and waits of at most a second end ten times sooner.
/// Longer waits, such as time-outs, take their time, and so do leases, which end by the clock of the database. So a busy machine fails no test.
/// </summary>
internal sealed class HurriedClock : TimeProvider
{
    private const int Factor = 10;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private HurriedClock()
    {
    }

    internal static HurriedClock Instance { get; } = new();

    public override long GetTimestamp() => System.GetTimestamp() * Factor;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new HurriedTimer(System.CreateTimer(callback, state, Hurried(dueTime), Hurried(period)));

    private static TimeSpan Hurried(TimeSpan time) => time > TimeSpan.Zero && time <= Longest ? time / Factor : time;

    private sealed class HurriedTimer(ITimer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(Hurried(dueTime), Hurried(period));

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}

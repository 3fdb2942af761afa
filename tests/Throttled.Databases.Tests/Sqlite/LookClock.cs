namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A clock that tells when it is looked at, which a running statement does again and again, and that each look moves on.</summary>
internal sealed class LookClock(TimeSpan perLook) : TimeProvider
{
    private readonly TaskCompletionSource _running = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _looks;

    /// <summary>Ends when a statement was seen running.</summary>
    internal Task Running => _running.Task;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        var looks = Interlocked.Increment(ref _looks);
        if (looks == 5)
            _running.SetResult();
        return looks * perLook.Ticks;
    }
}

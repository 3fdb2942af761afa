namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A clock that tells when it is looked at, which a running statement does again and again, and that each look moves on.</summary>
internal sealed class CountingClock(TimeSpan perRead) : TimeProvider
{
    private readonly TaskCompletionSource _running = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _reads;

    /// <summary>Ends when a statement was seen running.</summary>
    internal Task Running => _running.Task;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp()
    {
        var reads = Interlocked.Increment(ref _reads);
        if (reads == 5)
            _running.SetResult();
        return reads * perRead.Ticks;
    }
}

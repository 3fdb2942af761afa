namespace Throttled.Journal.Sqlite.Tests;

/// <summary>A clock that advances with each read. A running statement reads it repeatedly.</summary>
internal sealed class CountingClock(TimeSpan perRead) : TimeProvider
{
    private readonly TaskCompletionSource _running = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _reads;

    /// <summary>Completes when a statement has read the clock several times.</summary>
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

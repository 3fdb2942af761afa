namespace Throttled.Journal.Pages;

/// <summary>Counts the bytes of all rows that a journal holds in memory, from the driver to the reader. Thread-safe.</summary>
internal sealed class ByteBudget(long limit)
{
    // Statements count their rows in steps of this, so that they do not meet at the counter for each row.
    private const long MostStep = 16 * 1024;

    // Rows of statements that have not ended yet. More of them than this would only outlive the cheap collections: what the
    // readers can take meanwhile is there.
    private const long MostArriving = 4L * 1024 * 1024;

    private long _used;
    private long _arriving;
    private long _allArrived;

    internal long Limit => limit;

    internal long Used => Interlocked.Read(ref _used);

    internal bool IsSpent => Used >= limit;

    /// <summary>Whether so much is in flight that another statement would only add to what waits.</summary>
    internal bool IsAmpleArriving => Interlocked.Read(ref _arriving) >= Math.Min(MostArriving, Math.Max(1, limit / 4));

    /// <summary>Total bytes received. If it stops growing, every running statement is stalled.</summary>
    internal long AllArrived => Interlocked.Read(ref _allArrived);

    /// <summary>How many bytes a statement may gather before it counts them.</summary>
    internal long Step { get; } = Math.Clamp(limit / 256, 1, MostStep);

    internal void Take(long bytes) => Interlocked.Add(ref _used, bytes);

    internal void Return(long bytes) => Interlocked.Add(ref _used, -bytes);

    /// <summary>Reserves bytes for a statement that still runs.</summary>
    internal void Arrive(long bytes)
    {
        Take(bytes);
        Interlocked.Add(ref _arriving, bytes);
        Interlocked.Add(ref _allArrived, bytes);
    }

    /// <summary>The statement has ended; its bytes stay reserved.</summary>
    internal void Arrived(long bytes) => Interlocked.Add(ref _arriving, -bytes);
}

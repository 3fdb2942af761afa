namespace Throttled.Journal.Pages;

/// <summary>Counts the bytes of all rows that a journal holds in memory, from the driver to the reader. Thread-safe.</summary>
internal sealed class ByteBudget(long limit)
{
    private long _used;

    internal long Used => Interlocked.Read(ref _used);

    internal bool IsSpent => Used >= limit;

    internal void Take(long bytes) => Interlocked.Add(ref _used, bytes);

    internal void Return(long bytes) => Interlocked.Add(ref _used, -bytes);
}

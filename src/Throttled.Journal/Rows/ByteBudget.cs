namespace Throttled.Journal.Rows;

/// <summary>Counts the bytes of all rows of a journal in memory, from the driver to the reader. Thread-safe.</summary>
internal sealed class ByteBudget(long limit)
{
    // Statements count their rows in steps of this size. Counting each row would cause contention on the counter.
    private const long MostStep = 16 * 1024;

    // The limit for the rows of running statements. More rows would only survive the cheap garbage collections; what readers can take now is already
    // in memory.
    private const long MostInFlight = 4L * 1024 * 1024;

    private long _used;
    private long _inFlight;
    private long _totalReceived;

    internal long Limit => limit;

    internal long Used => Interlocked.Read(ref _used);

    internal bool IsExhausted => Used >= limit;

    /// <summary>Whether running statements have received enough rows. Another statement would only add rows that must wait.</summary>
    internal bool HasEnoughInFlight => Interlocked.Read(ref _inFlight) >= Math.Min(MostInFlight, Math.Max(1, limit / 4));

    /// <summary>Total bytes received. If it stops growing, every running statement is stalled.</summary>
    internal long TotalReceived => Interlocked.Read(ref _totalReceived);

    /// <summary>The bytes that a statement collects before it counts them.</summary>
    internal long Step { get; } = Math.Clamp(limit / 256, 1, MostStep);

    internal void Reserve(long bytes) => Interlocked.Add(ref _used, bytes);

    internal void Release(long bytes) => Interlocked.Add(ref _used, -bytes);

    internal void ReserveInFlight(long bytes)
    {
        Reserve(bytes);
        Interlocked.Add(ref _inFlight, bytes);
        Interlocked.Add(ref _totalReceived, bytes);
    }

    /// <summary>Call this when the statement has ended; its bytes stay reserved.</summary>
    internal void CompleteInFlight(long bytes) => Interlocked.Add(ref _inFlight, -bytes);
}

/// <summary>Counts the rows of one statement in the byte budget, in steps. Used by one thread at a time.</summary>
internal sealed class InFlightBytes(ByteBudget budget)
{
    private long _counted;

    /// <summary>The bytes received so far.</summary>
    internal long All { get; private set; }

    /// <returns>False if the budget is exhausted.</returns>
    internal bool Add(long bytes)
    {
        All += bytes;
        if (All - _counted < budget.Step)
            return true;
        Count();
        return !budget.IsExhausted;
    }

    /// <summary>Call this when the statement has ended; its bytes stay reserved.</summary>
    internal void Complete()
    {
        Count();
        budget.CompleteInFlight(_counted);
    }

    /// <summary>Call this when the statement has ended and its rows are not used.</summary>
    internal void Discard()
    {
        budget.CompleteInFlight(_counted);
        budget.Release(_counted);
        (All, _counted) = (0, 0);
    }

    private void Count()
    {
        budget.ReserveInFlight(All - _counted);
        _counted = All;
    }
}

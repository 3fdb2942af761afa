namespace Throttled.Journal.Rows;

/// <summary>Counts the bytes of all rows that a journal holds in memory, from the driver to the reader. Thread-safe.</summary>
internal sealed class ByteBudget(long limit)
{
    // Statements count their rows in steps of this, so that they do not meet at the counter for each row.
    private const long MostStep = 16 * 1024;

    // Rows of statements that have not ended yet. More of them than this would only outlive the cheap collections: what the
    // readers can take meanwhile is there.
    private const long MostInFlight = 4L * 1024 * 1024;

    private long _used;
    private long _inFlight;
    private long _totalReceived;

    internal long Limit => limit;

    internal long Used => Interlocked.Read(ref _used);

    internal bool IsExhausted => Used >= limit;

    /// <summary>Whether so much is in flight that another statement would only add to what waits.</summary>
    internal bool HasEnoughInFlight => Interlocked.Read(ref _inFlight) >= Math.Min(MostInFlight, Math.Max(1, limit / 4));

    /// <summary>Total bytes received. If it stops growing, every running statement is stalled.</summary>
    internal long TotalReceived => Interlocked.Read(ref _totalReceived);

    /// <summary>How many bytes a statement may gather before it counts them.</summary>
    internal long Step { get; } = Math.Clamp(limit / 256, 1, MostStep);

    internal void Reserve(long bytes) => Interlocked.Add(ref _used, bytes);

    internal void Release(long bytes) => Interlocked.Add(ref _used, -bytes);

    /// <summary>Reserves bytes for a statement that still runs.</summary>
    internal void ReserveInFlight(long bytes)
    {
        Reserve(bytes);
        Interlocked.Add(ref _inFlight, bytes);
        Interlocked.Add(ref _totalReceived, bytes);
    }

    /// <summary>The statement has ended; its bytes stay reserved.</summary>
    internal void CompleteInFlight(long bytes) => Interlocked.Add(ref _inFlight, -bytes);
}

/// <summary>Counts the rows of one statement in the byte budget, in steps. Used by one thread at a time.</summary>
internal sealed class InFlightBytes(ByteBudget budget)
{
    private long _counted;

    /// <summary>What was received so far.</summary>
    internal long All { get; private set; }

    /// <summary>A row was received.</summary>
    /// <returns>Whether there is room for more.</returns>
    internal bool Add(long bytes)
    {
        All += bytes;
        if (All - _counted < budget.Step)
            return true;
        Count();
        return !budget.IsExhausted;
    }

    /// <summary>The statement has ended; its bytes stay reserved.</summary>
    internal void Complete()
    {
        Count();
        budget.CompleteInFlight(_counted);
    }

    /// <summary>The statement has ended and its rows will not be used.</summary>
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

namespace Throttled.Journal.Pages;

/// <summary>Counts the rows of one statement in the byte budget, in steps. Used by one thread at a time.</summary>
internal sealed class ArrivingBytes(ByteBudget budget)
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
        return !budget.IsSpent;
    }

    /// <summary>The statement has ended; its bytes stay reserved.</summary>
    internal void Arrived()
    {
        Count();
        budget.Arrived(_counted);
    }

    /// <summary>The statement has ended and its rows will not be used.</summary>
    internal void Discard()
    {
        budget.Arrived(_counted);
        budget.Return(_counted);
        (All, _counted) = (0, 0);
    }

    private void Count()
    {
        budget.Arrive(All - _counted);
        _counted = All;
    }
}

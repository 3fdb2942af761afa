using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// Whole rows that a statement reads for the tail. The database adds them in any order as they arrive, until it has none left or
/// <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class RowsStatement(IReadOnlyList<long> orderings, ByteBudget budget)
{
    private readonly List<JournalEvent> _rows = [];

    /// <summary>The rows wanted, where they are requested by name.</summary>
    internal IReadOnlyList<long> Orderings => orderings;

    /// <summary>What was added.</summary>
    internal IReadOnlyList<JournalEvent> Events => _rows;

    /// <summary>Whether <see cref="Add"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>What was added from an ordering on, for the read of their tags.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _rows.FindAll(row => row.Ordering >= ordering);

    /// <summary>Adds a row that is not deleted.</summary>
    /// <returns>Whether to go on; false once the journal's bytes are at their bound.</returns>
    internal bool Add(JournalEvent row)
    {
        _rows.Add(row);
        budget.Take(row.Bytes);
        IsStopped = budget.IsSpent;
        return !IsStopped;
    }

    /// <summary>Gives back the bytes counted so far; who keeps a row counts it anew.</summary>
    internal void Discard()
    {
        foreach (var row in _rows)
            budget.Return(row.Bytes);
    }
}

using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// One statement that reads whole rows by ordering for the tail. The database adds rows in any order as they arrive, until it
/// has none left or <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class RowsStatement(IReadOnlyList<long> orderings, ByteBudget budget)
{
    private readonly List<JournalEvent> _rows = [];

    /// <summary>The rows wanted.</summary>
    internal IReadOnlyList<long> Orderings => orderings;

    /// <summary>What was added.</summary>
    internal IReadOnlyList<JournalEvent> Events => _rows;

    /// <summary>What was added from an ordering on, for the read of their tags.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _rows.FindAll(row => row.Ordering >= ordering);

    /// <summary>Adds a row that is not deleted.</summary>
    /// <returns>Whether to go on; false once the journal's bytes are at their bound.</returns>
    internal bool Add(JournalEvent row)
    {
        _rows.Add(row);
        budget.Take(row.Bytes);
        return !budget.IsSpent;
    }

    /// <summary>Gives back the bytes counted so far; who keeps a row counts it anew.</summary>
    internal void Discard()
    {
        foreach (var row in _rows)
            budget.Return(row.Bytes);
    }
}

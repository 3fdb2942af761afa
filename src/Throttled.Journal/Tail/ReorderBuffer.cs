using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Rows above the high-water mark, in the order of the journal. They wait because transactions may still commit orderings below them. Limited in
/// size, because a transaction that stays open must not fill the memory. On the loop.
/// </summary>
internal sealed class ReorderBuffer(ByteBudget budget)
{
    private const int MostRows = 10_000;

    // Leave room for pages, because the high-water mark may stall for hours.
    private readonly long _mostBytes = Math.Min(16L * 1024 * 1024, budget.Limit / 4);

    private readonly List<JournalEvent> _rows = [];
    private long _bytes;

    internal int Count => _rows.Count;

    /// <returns>Whether the row was added; false if there is no room.</returns>
    internal bool Add(JournalEvent row)
    {
        if (_rows.Count >= MostRows || _bytes + row.Bytes > _mostBytes || budget.IsExhausted)
            return false;
        _rows.Insert(PlaceOf(row.Ordering), row);
        _bytes += row.Bytes;
        budget.Reserve(row.Bytes);
        return true;
    }

    /// <summary>Removes and returns the rows at or below the high-water mark.</summary>
    internal IReadOnlyList<JournalEvent> TakeUpTo(long highWaterMark)
    {
        var count = PlaceOf(highWaterMark + 1);
        if (count == 0)
            return [];
        var taken = _rows.GetRange(0, count);
        _rows.RemoveRange(0, count);
        Release(taken);
        return taken;
    }

    internal void Clear()
    {
        Release(_rows);
        _rows.Clear();
    }

    private int PlaceOf(long ordering)
    {
        var (low, high) = (0, _rows.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_rows[middle].Ordering < ordering)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    private void Release(IEnumerable<JournalEvent> rows)
    {
        var bytes = rows.Sum(row => row.Bytes);
        _bytes -= bytes;
        budget.Release(bytes);
    }
}

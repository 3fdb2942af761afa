namespace Throttled.Journal.Rows;

/// <summary>
/// The rows of one statement that searches backwards from the end of the journal for the n-th last event of a query. The database adds at most
/// <see cref="MaxRows"/> rows below <see cref="Below"/>, descending, as they arrive. It may stop when <see cref="Add"/> returns false. No row is
/// kept. All members of the batch have the same request. Not thread-safe.
/// </summary>
/// <param name="filter">Which events count.</param>
/// <param name="below">The search begins below this ordering.</param>
/// <param name="count">How many events to find, at least 1.</param>
/// <param name="maxRows">The most rows to read.</param>
internal sealed class FromEndRows(EventFilter filter, long below, int count, int maxRows) : BatchRows
{
    private long _lowest = long.MaxValue;
    private long _counted;
    private int _rows;
    private int _found;

    internal long Below => below;

    /// <summary>The most rows to read, deleted ones included.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Only rows with this tag must be added; null for all rows.</summary>
    internal string? Tag => filter.Tag;

    /// <summary>The result. Valid when the statement has ended without error.</summary>
    internal FromEndResult Result => new(_found, _found == count || _rows >= maxRows ? _lowest : 0);

    /// <summary>Adds the next row.</summary>
    /// <param name="ordering">Its ordering. A tag table may have it twice.</param>
    /// <param name="persistenceId">Its persistence id; null if the event is deleted, or if the tag table has a tag of an event that does not exist.</param>
    /// <param name="tags">Its tags, or only the matching tag as stored; ignored if the query has no tag.</param>
    /// <returns>False when enough events were found. Further rows then have no effect.</returns>
    /// <exception cref="InvalidOperationException">The row is above the last one, or not below the start.</exception>
    internal bool Add(long ordering, string? persistenceId, IReadOnlyList<string> tags)
    {
        if (_found == count)
            return false;
        if (ordering > _lowest || ordering >= below)
            throw new InvalidOperationException("The rows of a statement from the end of the journal arrived out of order.");
        if (persistenceId is not null && ordering != _counted && filter.Matches(SliceOf(persistenceId), tags))
        {
            _counted = ordering;
            _found++;
        }
        _lowest = ordering;
        _rows++;
        return _found < count;
    }

    private int SliceOf(string persistenceId) => filter.Slices == SliceRange.All ? 0 : JournalSlices.Of(persistenceId);
}

/// <summary>The result of a <see cref="FromEndRows"/>.</summary>
/// <param name="Count">How many events it found.</param>
/// <param name="Lowest">The lowest ordering that it read; 0 if there are no rows below.</param>
internal readonly record struct FromEndResult(int Count, long Lowest);

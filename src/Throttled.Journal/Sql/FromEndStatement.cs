using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>
/// One statement that looks from the end of the journal backwards for the event with which a query for the last so many begins. The database
/// adds the first <see cref="MaxRows"/> rows below <see cref="Below"/> as they arrive, descending, and may stop where <see cref="Add"/> says so. None of
/// them is kept. All members of its batch want the same. Used by one thread at a time.
/// </summary>
/// <param name="filter">Which events count.</param>
/// <param name="below">The ordering below which it begins.</param>
/// <param name="count">How many events are looked for, at least 1.</param>
/// <param name="maxRows">How many rows at most.</param>
internal sealed class FromEndStatement(EventFilter filter, long below, int count, int maxRows) : IPageStatement
{
    private long _lowest = long.MaxValue;
    private long _counted;
    private int _rows;
    private int _found;

    internal long Below => below;

    /// <summary>At most so many rows, deleted ones too.</summary>
    internal int MaxRows => maxRows;

    /// <summary>Rows that do not have this tag need not be added; null where all rows are wanted.</summary>
    internal string? Tag => filter.Tag;

    /// <summary>What was found; valid once the statement has ended well.</summary>
    internal FromEndRead Found => new(_found, _found == count || _rows >= maxRows ? _lowest : 0);

    /// <summary>Adds the next row.</summary>
    /// <param name="ordering">Its ordering. A tag table may have it twice.</param>
    /// <param name="persistenceId">Its persistence id; null where it is no event: deleted, or a tag whose event is gone.</param>
    /// <param name="tags">Its tags, or of those the one that it was found by, as it is stored; not looked at where no tag is wanted.</param>
    /// <returns>Whether to go on; false once enough was found, and then more rows change nothing.</returns>
    /// <exception cref="InvalidOperationException">The row is not below the last.</exception>
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

    public Task RunAsync(IJournalDatabase database, CancellationToken cancellation) => database.ReadFromEndAsync(this, cancellation);

    public void Complete()
    {
    }

    public void Discard()
    {
    }

    public bool Give(int member, PageRequest to)
    {
        ((IOrderedRequest)to).Read(Found);
        return true;
    }

    public void Drop(int member)
    {
    }

    private int SliceOf(string persistenceId) => filter.Slices == SliceRange.All ? 0 : JournalSlices.Of(persistenceId);
}

/// <summary>What a statement from the end of the journal found.</summary>
/// <param name="Count">How many of the events that were looked for.</param>
/// <param name="Lowest">The ordering down to which all rows were looked at; 0 where there are none below.</param>
internal readonly record struct FromEndRead(int Count, long Lowest);

namespace Throttled.Journal.Rows;

/// <summary>
/// One statement that reads events in the order of the journal, for several members where these want the same or nearly so. The
/// database adds rows behind <see cref="After"/> as they arrive, ascending, until it has none left up to <see cref="UpTo"/> or
/// <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class OrderedRows
{
    private readonly IReadOnlyList<OrderedRequest> _requests;
    private readonly OrderedPageBuilder[] _pages;
    private readonly OrderedPageBuilder[] _pageOf;
    private readonly OrderedResult[] _results;
    private readonly ByteBudget _budget;
    private readonly InFlightBytes _bytes;
    private readonly List<JournalEvent> _events = [];
    private readonly bool _isSliced;
    private long _last;
    private int _rows;

    /// <param name="requests">The members' requests, at least one; either all or none with a tag.</param>
    /// <param name="limits">How much to read.</param>
    /// <param name="budget">Counts the rows.</param>
    internal OrderedRows(IReadOnlyList<OrderedRequest> requests, OrderedLimits limits, ByteBudget budget)
    {
        (_requests, _budget, _bytes) = (requests, budget, new(budget));
        After = _last = requests.Min(request => request.After);
        UpTo = Math.Min(requests.Max(request => request.UpTo), limits.Window < long.MaxValue - After ? After + limits.Window : long.MaxValue);
        MaxRows = limits.MaxRows;
        // Who wants just the same gets the same page.
        var pages = requests.Distinct().ToDictionary(request => request, request => new OrderedPageBuilder(request, limits.TagsComeLater));
        _pages = [.. pages.Values];
        _pageOf = [.. requests.Select(request => pages[request])];
        _results = new OrderedResult[requests.Count];
        _isSliced = requests.Any(request => request.Filter.Slices != SliceRange.All);
        if (requests[0].Filter.Tag is not null)
            Tags = [.. requests.Select(request => request.Filter.Tag!).Distinct(StringComparer.Ordinal)];
    }

    /// <summary>The ordering behind which the first row is read.</summary>
    internal long After { get; }

    /// <summary>The last ordering that may be read.</summary>
    internal long UpTo { get; }

    /// <summary>At most so many rows, deleted ones too; the database may stop sending there by itself.</summary>
    internal int MaxRows { get; }

    /// <summary>Rows that have none of these tags need not be added; null where all rows are wanted.</summary>
    internal IReadOnlyList<string>? Tags { get; }

    /// <summary>Rows added, deleted ones too.</summary>
    internal int Rows => _rows;

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>What was read for each member.</summary>
    internal IReadOnlyList<OrderedResult> Results => _results;

    /// <summary>The events added so far from an ordering on, for the read of their tags.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _events.FindAll(row => row.Ordering >= ordering);

    /// <summary>Adds the next row.</summary>
    /// <returns>Whether to go on; false once rows or bytes are at their bound, or all members have what they can take.</returns>
    /// <exception cref="InvalidOperationException">The row is not above the last, or not in what is to be read.</exception>
    internal bool Add(JournalEvent row)
    {
        Enter(row.Ordering);
        var slice = _isSliced ? JournalSlices.Of(row.PersistenceId) : 0;
        var takers = 0;
        foreach (var page in _pages)
            takers += page.Add(row, slice) ? 1 : 0;
        if (takers > 0)
            _events.Add(row);
        return GoOn(_bytes.Add(takers * row.Bytes));
    }

    /// <summary>Adds a row that is no event: deleted, or a tag whose event is gone.</summary>
    internal bool AddDeleted(long ordering)
    {
        Enter(ordering);
        return GoOn(hasRoom: true);
    }

    /// <summary>Closes the statement after its reader was closed cleanly.</summary>
    internal void Complete()
    {
        _bytes.Complete();
        var isTruncated = IsStopped || _rows >= MaxRows;
        var through = isTruncated ? _last : UpTo;
        // What is missing at the end is missing too.
        if (!isTruncated && UpTo < long.MaxValue)
            EnterAll(UpTo + 1);
        long bytes = 0;
        foreach (var page in _pages)
            bytes += page.Close(through) * _pageOf.Count(one => one == page);
        // Each member gives back what its page counts, also where it shares it; what turned out to be nobody's goes back now.
        _budget.Reserve(bytes - _bytes.All);
        for (var member = 0; member < _requests.Count; member++)
            _results[member] = _pageOf[member].Share();
        _events.Clear();
    }

    /// <inheritdoc cref="ByIdRows.Discard"/>
    internal void Discard()
    {
        _bytes.Discard();
        foreach (var page in _pages)
            page.Discard();
    }

    /// <inheritdoc cref="ByIdRows.Drop"/>
    internal void Drop(int member) => _budget.Release(_results[member].Page?.Bytes ?? 0);

    private void Enter(long ordering)
    {
        if (ordering <= _last || ordering > UpTo)
            throw new InvalidOperationException("The rows of a statement in journal order arrived out of order.");
        EnterAll(ordering);
        _last = ordering;
        _rows++;
    }

    private void EnterAll(long ordering)
    {
        foreach (var page in _pages)
            page.Enter(ordering, _last);
    }

    private bool GoOn(bool hasRoom)
    {
        IsStopped = _rows >= MaxRows || !hasRoom || Array.TrueForAll(_pages, page => page.IsFull);
        return !IsStopped;
    }
}

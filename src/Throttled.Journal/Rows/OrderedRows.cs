namespace Throttled.Journal.Rows;

/// <summary>
/// The rows of one statement in journal order, for several members with the same or nearly the same requests. The database adds rows after <see
/// cref="After"/>, ascending, as they arrive. It ends at <see cref="UpTo"/>, or when <see cref="Add"/> returns false. Used by one thread at a time.
/// </summary>
internal sealed class OrderedRows : BatchRows
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

    /// <summary>For one request or more. Either all of them have a tag, or none.</summary>
    internal OrderedRows(IReadOnlyList<OrderedRequest> requests, OrderedLimits limits, ByteBudget budget)
    {
        (_requests, _budget, _bytes) = (requests, budget, new(budget));
        After = _last = requests.Min(request => request.After);
        UpTo = Math.Min(requests.Max(request => request.UpTo), limits.Window < long.MaxValue - After ? After + limits.Window : long.MaxValue);
        MaxRows = limits.MaxRows;
        // Equal requests share a page.
        var pages = requests.Distinct().ToDictionary(request => request, request => new OrderedPageBuilder(request, limits.TagsComeLater));
        _pages = [.. pages.Values];
        _pageOf = [.. requests.Select(request => pages[request])];
        _results = new OrderedResult[requests.Count];
        _isSliced = requests.Any(request => request.Filter.Slices != SliceRange.All);
        if (requests[0].Filter.Tag is not null)
            Tags = [.. requests.Select(request => request.Filter.Tag!).Distinct(StringComparer.Ordinal)];
    }

    /// <summary>The statement reads rows after this ordering.</summary>
    internal long After { get; }

    /// <summary>The highest ordering that may be read.</summary>
    internal long UpTo { get; }

    /// <summary>The most rows to read, including deleted rows; the database may also stop there by itself.</summary>
    internal int MaxRows { get; }

    /// <summary>Only rows with one of these tags must be added; null for all rows.</summary>
    internal IReadOnlyList<string>? Tags { get; }

    /// <summary>Rows added, including deleted rows.</summary>
    internal int Rows { get; private set; }

    /// <summary>Whether <see cref="Add"/> or <see cref="AddDeleted"/> returned false.</summary>
    internal bool IsStopped { get; private set; }

    internal IReadOnlyList<OrderedResult> Results => _results;

    /// <summary>The events added so far at or above an ordering; their tags are read next.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _events.FindAll(row => row.Ordering >= ordering);

    /// <returns>False when the limit of rows or bytes is reached, or when all pages are full.</returns>
    /// <exception cref="InvalidOperationException">The row is not above the last row, or is outside the range.</exception>
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

    /// <summary>Adds a row without an event: the event was deleted, or only its tag exists.</summary>
    internal bool AddDeleted(long ordering)
    {
        Enter(ordering);
        return GoOn(hasRoom: true);
    }

    internal override void Complete()
    {
        _bytes.Complete();
        var isTruncated = IsStopped || Rows >= MaxRows;
        var through = isTruncated ? _last : UpTo;
        // Orderings can also be missing at the end of the range.
        if (!isTruncated && UpTo < long.MaxValue)
            EnterAll(UpTo + 1);
        long bytes = 0;
        foreach (var page in _pages)
            bytes += page.Close(through) * _pageOf.Count(one => one == page);
        // Each member releases the bytes of its page, also if the page is shared. So reserve them once per member. Rows that turned out to be on no
        // page are released here.
        _budget.Reserve(bytes - _bytes.All);
        for (var member = 0; member < _requests.Count; member++)
            _results[member] = _pageOf[member].Share();
        _events.Clear();
    }

    internal override void Discard()
    {
        _bytes.Discard();
        foreach (var page in _pages)
            page.Discard();
    }

    internal override void Drop(int member) => _budget.Release(_results[member].Page?.Bytes ?? 0);

    private void Enter(long ordering)
    {
        if (ordering <= _last || ordering > UpTo)
            throw new InvalidOperationException("The rows of a statement in journal order arrived out of order.");
        EnterAll(ordering);
        _last = ordering;
        Rows++;
    }

    private void EnterAll(long ordering)
    {
        foreach (var page in _pages)
            page.Enter(ordering, _last);
    }

    private bool GoOn(bool hasRoom)
    {
        IsStopped = Rows >= MaxRows || !hasRoom || Array.TrueForAll(_pages, page => page.IsFull);
        return !IsStopped;
    }
}

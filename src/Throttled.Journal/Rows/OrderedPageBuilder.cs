namespace Throttled.Journal.Rows;

/// <summary>Builds the page of one member of an ordered batch.</summary>
internal sealed class OrderedPageBuilder(OrderedRequest request, bool tagsComeLater)
{
    private readonly PageBuilder<JournalEvent> _events = new();
    private readonly EventFilter _filter = tagsComeLater ? request.Filter with { Tag = null } : request.Filter;
    private long? _fullAt;
    private long? _gapAt;
    private OrderedResult _result;

    /// <summary>Whether the page takes no more rows.</summary>
    internal bool IsFull => _fullAt is not null || _gapAt is not null;

    /// <summary>Checks for a gap between the last row and the next one, even if this page does not take the next row.</summary>
    internal void Enter(long ordering, long last)
    {
        var from = Math.Max(last, request.After);
        if (request.StopsAtGap && !IsFull && ordering > from + 1 && from < request.UpTo)
            _gapAt = from;
    }

    /// <returns>Whether the page took the row.</returns>
    internal bool Add(JournalEvent row, int slice)
    {
        if (IsFull || row.Ordering <= request.After || row.Ordering > request.UpTo || !_filter.Matches(slice, row.Tags))
            return false;
        _events.Add(row, row.Bytes);
        if (_events.Count == request.Limit)
            _fullAt = row.Ordering;
        return true;
    }

    /// <summary>Closes the page: there are no more rows up to an ordering.</summary>
    /// <returns>The bytes of the page.</returns>
    internal long Close(long upTo)
    {
        var end = _fullAt ?? _gapAt ?? Math.Min(request.UpTo, upTo);
        var page = tagsComeLater && request.Filter.Tag is not null ? Tagged() : _events.Take();
        _events.Release();
        _result = new(page, Math.Max(request.After, end), MayHaveMore: _gapAt is null && end < request.UpTo) { Limit = request.Limit, StoppedAtGap = _gapAt is not null };
        return page?.Bytes ?? 0;
    }

    internal void Discard() => _events.Release();

    /// <summary>The result, with a page object for each member; valid after <see cref="Close"/>.</summary>
    internal OrderedResult Share() => _result with { Page = _result.Page?.Share() };

    // The database may treat tags as equal that differ in case or in trailing spaces.
    private Page<JournalEvent>? Tagged()
    {
        var tagged = new PageBuilder<JournalEvent>();
        for (var i = 0; i < _events.Count; i++)
        {
            if (request.Filter.Matches(request.Filter.Slices.First, _events[i].Tags))
                tagged.Add(_events[i], _events[i].Bytes);
        }
        var page = tagged.Take();
        tagged.Release();
        return page;
    }
}

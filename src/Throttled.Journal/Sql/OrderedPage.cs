using Throttled.Journal.Pages;

namespace Throttled.Journal.Sql;

/// <summary>Builds the page of one member of an ordered batch.</summary>
internal sealed class OrderedPage(OrderedAsk ask, bool tagsComeLater)
{
    private readonly PageItems<JournalEvent> _events = new();
    private readonly EventFilter _filter = tagsComeLater ? ask.Filter with { Tag = null } : ask.Filter;
    private long? _fullAt;
    private long? _gapAt;
    private OrderedRead _read;

    /// <summary>Whether it takes no more.</summary>
    internal bool IsFull => _fullAt is not null || _gapAt is not null;

    /// <summary>The next row, whatever it is.</summary>
    /// <param name="ordering">Its ordering.</param>
    /// <param name="last">The ordering of the row before it.</param>
    internal void Enter(long ordering, long last)
    {
        var from = Math.Max(last, ask.After);
        if (ask.StopsAtGap && !IsFull && ordering > from + 1 && from < ask.Through)
            _gapAt = from;
    }

    /// <returns>Whether it took the row.</returns>
    internal bool Add(JournalEvent row, int slice)
    {
        if (IsFull || row.Ordering <= ask.After || row.Ordering > ask.Through || !_filter.Matches(slice, row.Tags))
            return false;
        _events.Add(row, row.Bytes);
        if (_events.Count == ask.Limit)
            _fullAt = row.Ordering;
        return true;
    }

    /// <summary>There are no more rows up to an ordering.</summary>
    /// <returns>The bytes of the page.</returns>
    internal long Close(long through)
    {
        var end = _fullAt ?? _gapAt ?? Math.Min(ask.Through, through);
        var page = tagsComeLater && ask.Filter.Tag is not null ? Tagged() : _events.Take();
        _events.Release();
        _read = new(page, Math.Max(ask.After, end), MoreMayFollow: _gapAt is null && end < ask.Through) { StoppedAtGap = _gapAt is not null };
        return page?.Bytes ?? 0;
    }

    /// <summary>Gives the memory back.</summary>
    internal void Discard() => _events.Release();

    /// <summary>What was read, with a page of the member's own; valid once closed.</summary>
    internal OrderedRead Share() => _read with { Page = _read.Page?.Share() };

    // The database may take tags for equal that differ in case or in trailing spaces.
    private Page<JournalEvent>? Tagged()
    {
        var tagged = new PageItems<JournalEvent>();
        for (var i = 0; i < _events.Count; i++)
        {
            if (ask.Filter.Matches(ask.Filter.Slices.First, _events[i].Tags))
                tagged.Add(_events[i], _events[i].Bytes);
        }
        var page = tagged.Take();
        tagged.Release();
        return page;
    }
}

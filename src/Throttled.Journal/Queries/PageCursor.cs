using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>Where a reader is in its page. An idle query keeps nothing alive by it. Not thread-safe: page and reader take turns.</summary>
internal struct PageCursor<T>
    where T : class
{
    private Page<T>? _page;
    private int _index;

    /// <summary>The item that was read last; null where there is none, or its page was left.</summary>
    internal T? Current { get; private set; }

    /// <summary>Whether the item that was read last is the last of the query.</summary>
    internal readonly bool IsAtEnd => _page is { EndsQuery: true } page && _index == page.Count;

    /// <summary>A page was received; its first item is read, so that each page brings the reader on, whenever it is reclaimed.</summary>
    internal void Receive(Page<T> page)
    {
        _page = page;
        _index = 1;
        Current = page.TakeFirst();
    }

    /// <summary>Reads the next item.</summary>
    /// <returns>Whether there is one; otherwise the reader is to demand.</returns>
    internal bool MoveNext()
    {
        if (_page is null)
            return false;
        if (_index == _page.Count)
            _page = null;
        else if (_page[_index] is { } next)
        {
            _index++;
            Current = next;
            return true;
        }
        return false;
    }

    /// <summary>Leaves the page and demands the next.</summary>
    internal void Demand(IFeed<T> feed)
    {
        // A page that is still here was reclaimed in the middle, because nobody read it for too long, or nobody wants the rest.
        var last = _page is null ? null : Current;
        // An idle query must not keep its last item alive.
        Current = null;
        _page = null;
        if (last is not null)
            feed.DemandAfter(last);
        else
            feed.Demand();
    }
}

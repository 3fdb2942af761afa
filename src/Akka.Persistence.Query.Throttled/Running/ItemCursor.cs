using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams.Supervision;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Running;

/// <summary>
/// The position of one run in the decoded items of its query. Streams and subscriptions read by it. Used by one thread at a time; the decoder may run
/// a user's code.
/// </summary>
internal struct ItemCursor<T, TOut>(IItemDecoder<T, TOut> decoder, Decider decide)
    where T : class
    where TOut : class
{
    private PageCursor<T> _rows;
    private Queue<TOut>? _rest;

    // The cursor of rows is at the first row of a page as soon as it has received the page.
    private bool _isNew;

    /// <summary>Whether the query has ended, and each of its items was returned.</summary>
    internal readonly bool IsAtEnd => !_isNew && _rows.IsAtEnd && _rest is not { Count: > 0 };

    /// <summary>The number of rows of the page that are not decoded yet.</summary>
    internal readonly int RowsLeft => _rows.Left + (_isNew ? 1 : 0);

    internal void Receive(Page<T> page)
    {
        _rows.Receive(page);
        _isNew = true;
    }

    /// <returns>The next item; null at the end, or if the next page must be demanded.</returns>
    /// <exception cref="UndecodableEventException">An event cannot be decoded, and the supervision strategy stops the run.</exception>
    internal TOut? Next()
    {
        if (_rest is { Count: > 0 } rest)
            return rest.Dequeue();
        // Adapters may drop all events of a row, so go on until a row brings an item.
        while (MoveNext())
        {
            if (Decoded() is { } first)
                return first;
        }
        return null;
    }

    /// <summary>Leaves the page and demands the next one.</summary>
    internal void Demand(IFeed<T> feed) => _rows.Demand(feed);

    private bool MoveNext()
    {
        if (!_isNew)
            return !_rows.IsAtEnd && _rows.MoveNext();
        _isNew = false;
        return true;
    }

    private TOut? Decoded()
    {
        try
        {
            return decoder.Decode(_rows.Current!, out _rest);
        }
        // Restart is the same as Resume, because a run keeps only its position.
        catch (UndecodableEventException error) when (decide(error) != Directive.Stop)
        {
            return null;
        }
    }
}

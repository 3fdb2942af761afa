using Throttled.Journal.Loop;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>
/// The queue of requests that are not by persistence id. Requests for the same rows as the first one, from nearly the same position, join its
/// statement: the rows are read once for all of them. On the loop.
/// </summary>
internal sealed class CoalescingQueue(JournalOptions options)
{
    // Requests further back join a later statement. A longer search would cost more than the statement that it saves.
    private const int LookAhead = 1_000;

    internal LinkedQueue<PageRequest> Queue { get; } = new();

    /// <summary>The first request and those that join it; null if the queue is empty.</summary>
    internal PageRequest[]? TakeNext()
    {
        if (Queue.First is not { } first)
            return null;
        if (first is not IOrderedPageRequest ordered)
            return [Queue.TakeFirst()!];
        return Queue.Take(request => request is IOrderedPageRequest other && GoesWith(ordered, other), options.MaxQueriesPerStatement, LookAhead);
    }

    private bool GoesWith(IOrderedPageRequest first, IOrderedPageRequest other)
    {
        if (first.FromEnd > 0 || other.FromEnd > 0)
            return (first.FromEnd, first.Position) == (other.FromEnd, other.Position) && first.Filter == other.Filter;
        var ahead = other.Position - first.Position;
        if (ahead < 0)
            return false;
        if (first.Filter.Tag is null || other.Filter.Tag is null)
            return first.Filter.Tag == other.Filter.Tag && ahead <= Reach(first.Filter, other.Filter);
        return options.Tables.TagMode == TagMode.Csv
            ? ahead < BatchReadFactory.TagWindow / 2
            : ahead == 0 && first.Filter == other.Filter;
    }

    // A request that is more than half a page ahead would mostly wait for rows that it already has.
    private int Reach(EventFilter first, EventFilter other) => first.IsAll && other.IsAll ? options.MaxBufferSize / 2 : options.MaxRowsPerStatement / 2;
}

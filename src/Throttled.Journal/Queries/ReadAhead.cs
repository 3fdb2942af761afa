using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>
/// The request for the page after the one that the reader holds. It is a request of its own, because its feed is in the list of held pages meanwhile.
/// On the loop.
/// </summary>
internal sealed class ReadAhead(OrderedFeed feed) : PageRequest, IOrderedPageRequest
{
    private TimeSpan? _demandedAt;

    internal override TimeSpan WaitsSince => _demandedAt is { } demanded && demanded > Since ? demanded : Since;

    /// <summary>The page, until the reader demands it; null while it is being read.</summary>
    internal OrderedResult? Result { get; set; }

    public EventFilter Filter => feed.Filter;

    public long Position => feed.Position;

    public int FromEnd => 0;

    internal override bool IsLive => feed.IsLive;

    internal override string Subject => feed.Subject;

    public OrderedRequest CreateRequest() => feed.CreateRequest();

    public void Accept(OrderedResult result) => feed.Accept(result);

    public void Accept(FromEndResult result) => throw new InvalidOperationException("A query reads ahead after it has found its beginning.");

    // Nobody waits for the page. The next demand requests it again, and its error may be over by then.
    internal override void Fail(Func<Exception> error)
    {
        if (_demandedAt is not null)
            feed.Fail(error);
        else
            feed.DropAhead();
    }

    internal override void Reclaim() => throw new InvalidOperationException("The feed holds the page.");

    /// <summary>The reader waits from now on.</summary>
    internal void Demand(TimeSpan now) => _demandedAt ??= now;

    /// <summary>Removes the request, or releases its page.</summary>
    internal void Drop(FeedContext context)
    {
        context.Scheduler.Remove(this);
        context.Budget.Release(Result?.Page?.Bytes ?? 0);
    }
}

using Throttled.Journal.Loop;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>
/// A request for pages, one at a time. It waits in the scheduler's queue, then is a member of a batch, then holds its page. It implements
/// <see cref="IByIdPageRequest"/>, <see cref="IOrderedPageRequest"/> or <see cref="IIdsPageRequest"/>. Called on the loop.
/// </summary>
internal abstract class PageRequest : ILinked<PageRequest>
{
    /// <summary>The batch that it is a member of; null if there is none.</summary>
    internal PageBatch? Batch { get; set; }

    /// <summary>When it entered its current queue or list, in the loop's time.</summary>
    internal TimeSpan Since { get; set; }

    /// <summary>Since when a reader has waited for it, in the loop's time.</summary>
    internal virtual TimeSpan WaitsSince => Since;

    /// <summary>Its number among all enqueued requests; earlier requests have lower numbers.</summary>
    internal long Turn { get; set; }

    LinkedQueue<PageRequest>? ILinked<PageRequest>.Queue { get; set; }

    PageRequest? ILinked<PageRequest>.Previous { get; set; }

    PageRequest? ILinked<PageRequest>.Next { get; set; }

    /// <summary>Whether the query waits forever while the database is unavailable.</summary>
    internal abstract bool IsLive { get; }

    /// <summary>What the query reads, for use inside a sentence: "the events of 'a'".</summary>
    internal abstract string Subject { get; }

    /// <summary>Fails the query; there is no page.</summary>
    /// <param name="error">Creates the exception. Each query needs its own, because throwing modifies it.</param>
    internal abstract void Fail(Func<Exception> error);

    /// <summary>Releases the page that its reader holds, because the memory is needed.</summary>
    internal abstract void Reclaim();
}

/// <summary>A request for a page of one persistence id. Many of them share a statement.</summary>
internal interface IByIdPageRequest
{
    /// <summary>Returns what to read. Called just before the statement starts; the statement may miss what is committed later.</summary>
    ByIdRequest CreateRequest();

    /// <summary>Takes the result. Called once each time the request was enqueued, unless it was removed.</summary>
    void Accept(ByIdResult result);
}

internal interface IIdsPageRequest
{
    /// <summary>Returns the id after which to continue; null to begin with the first. Called just before the statement starts.</summary>
    string? CreateRequest();

    /// <inheritdoc cref="IByIdPageRequest.Accept"/>
    void Accept(IdsResult result);
}

/// <summary>A request for a page in journal order. Requests for the same or nearly the same rows share a statement.</summary>
internal interface IOrderedPageRequest
{
    /// <summary>Which events it wants.</summary>
    EventFilter Filter { get; }

    /// <summary>The ordering after which it reads; while <see cref="FromEnd"/> is not 0, the ordering below which it searches for its beginning.</summary>
    long Position { get; }

    /// <summary>The number of events that the backward search from the end of the journal must still find; 0 when the beginning is known.</summary>
    int FromEnd { get; }

    /// <inheritdoc cref="IByIdPageRequest.CreateRequest"/>
    OrderedRequest CreateRequest();

    /// <inheritdoc cref="IByIdPageRequest.Accept"/>
    void Accept(OrderedResult result);

    void Accept(FromEndResult result);
}

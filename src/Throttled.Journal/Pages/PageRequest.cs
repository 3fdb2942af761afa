using Throttled.Journal.Loop;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Pages;

/// <summary>
/// Who requests pages, one at a time: it waits in the scheduler's queue, then is a member of a batch, then holds the page that it
/// was given. What it reads, <see cref="IByIdPageRequest"/>, <see cref="IOrderedPageRequest"/> or <see cref="IIdsPageRequest"/> says. Called on the
/// loop.
/// </summary>
internal abstract class PageRequest : ILinked<PageRequest>
{
    /// <summary>The batch that it is a member of; null where it is in none.</summary>
    internal PageBatch? Batch { get; set; }

    /// <summary>Since when it stands where it stands, in the loop's time.</summary>
    internal TimeSpan Since { get; set; }

    /// <summary>Its place among all that were ever enqueued: who came earlier has a lower one.</summary>
    internal long Turn { get; set; }

    LinkedQueue<PageRequest>? ILinked<PageRequest>.Queue { get; set; }

    PageRequest? ILinked<PageRequest>.Previous { get; set; }

    PageRequest? ILinked<PageRequest>.Next { get; set; }

    /// <summary>Whether the query waits for ever while the database is away.</summary>
    internal abstract bool IsLive { get; }

    /// <summary>What it reads, for a sentence: "the events of 'a'".</summary>
    internal abstract string Subject { get; }

    /// <summary>There will be no page: the query is at its end.</summary>
    /// <param name="error">Makes the exception, one for each query: throwing writes into it.</param>
    internal abstract void Fail(Func<Exception> error);

    /// <summary>Releases the page that its reader holds, because the memory is needed.</summary>
    internal abstract void Reclaim();
}

/// <summary>Asks for a page of one persistence id; many of them share a statement.</summary>
internal interface IByIdPageRequest
{
    /// <summary>
    /// What to read, requested just before the statement starts: what is committed from now on, the statement may miss.
    /// </summary>
    ByIdRequest CreateRequest();

    /// <summary>The page, once for each time that it was enqueued, unless it was removed.</summary>
    void Accept(ByIdResult result);
}

/// <summary>Asks for persistence ids.</summary>
internal interface IIdsPageRequest
{
    /// <summary>The id behind which to read on, requested just before the statement starts; null for the first.</summary>
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

    /// <summary>How many events the search from the end of the journal backwards still has to find; 0 when the beginning is known.</summary>
    int FromEnd { get; }

    /// <inheritdoc cref="IByIdPageRequest.CreateRequest"/>
    OrderedRequest CreateRequest();

    /// <inheritdoc cref="IByIdPageRequest.Accept"/>
    void Accept(OrderedResult result);

    /// <summary>Takes the result of a search for the beginning.</summary>
    void Accept(FromEndResult result);
}

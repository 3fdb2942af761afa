using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>
/// One run of a query as its reader sees it: each demand is answered by a page, the end or a failure. Called from any thread, and one demand at a
/// time.
/// </summary>
internal interface IFeed<in T>
    where T : class
{
    /// <summary>The reader has used up what it had and wants an answer: a page, the end or a failure.</summary>
    void Demand();

    /// <summary>As <see cref="Demand"/>, where the reader's page was forgotten before it came to its end.</summary>
    /// <param name="last">The last item that it has read.</param>
    void DemandAfter(T last);

    /// <summary>The reader leaves; a demand that was not answered is answered with this. Harmless when done twice.</summary>
    /// <param name="failure">What to answer; null for the end.</param>
    void Close(Exception? failure = null);
}

/// <summary>
/// Who reads a feed, a page for each demand. Called on the journal's loop, where none of it may block or run a user's code.
/// </summary>
internal interface IPageReader<T>
    where T : class
{
    /// <summary>A page, at least one item long, that answers a demand.</summary>
    void Receive(Page<T> page);

    /// <summary>The query is at its end; it answers a demand.</summary>
    void Complete();

    /// <summary>The page that it has is the last, which was not known when it was given. Without this, the next demand is answered by the end.</summary>
    void Ended(Page<T> page)
    {
    }

    /// <summary>The query failed; it answers a demand, and comes once.</summary>
    void Fail(Exception error);
}

/// <summary>Opens the feeds of one journal. A feed does nothing until its reader demands.</summary>
internal interface IFeeds
{
    IFeed<JournalEvent> Open(ByIdQuery query, IPageReader<JournalEvent> reader);

    IFeed<JournalEvent> Open(OrderedQuery query, IPageReader<JournalEvent> reader);

    IFeed<string> OpenIds(bool isLive, IPageReader<string> reader);
}

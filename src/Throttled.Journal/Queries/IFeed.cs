using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>One run of a query. It answers each demand with a page, the end or a failure. Called from any thread, with one demand at a time.</summary>
internal interface IFeed<in T>
    where T : class
{
    /// <summary>Call this when the reader has used up its page. The answer is a page, the end or a failure.</summary>
    void Demand();

    /// <summary>As <see cref="Demand"/>, if the reader leaves its page before its end.</summary>
    /// <param name="last">The last item that the reader has read.</param>
    void DemandAfter(T last);

    /// <summary>Closes the feed. An open demand is answered. Can be called more than once.</summary>
    /// <param name="failure">The answer to an open demand; null for the end.</param>
    void Close(Exception? failure = null);
}

/// <summary>The reader of a feed. It gets one answer for each demand. Called on the journal's loop, so it must not block or run user code.</summary>
internal interface IPageReader<T>
    where T : class
{
    /// <summary>Answers a demand with a page, which has at least one item.</summary>
    void Receive(Page<T> page);

    /// <summary>Answers a demand with the end of the query.</summary>
    void Complete();

    /// <summary>Called if a page turns out to be the last one after its delivery. A reader that ignores this gets the end at its next demand.</summary>
    void Ended(Page<T> page)
    {
    }

    /// <summary>Answers a demand with the failure of the query. Called at most once.</summary>
    void Fail(Exception error);
}

/// <summary>Opens the feeds of one journal. A feed does nothing until its first demand.</summary>
internal interface IFeeds
{
    IFeed<JournalEvent> Open(ByIdQuery query, IPageReader<JournalEvent> reader);

    IFeed<JournalEvent> Open(OrderedQuery query, IPageReader<JournalEvent> reader);

    IFeed<string> OpenIds(bool isLive, IPageReader<string> reader);
}

namespace Throttled.Journal.Queries;

/// <summary>A query as a stream; each enumeration is a run of its own. Whoever enumerates may keep it for as long, so it is small.</summary>
internal abstract class JournalQuery<T> : IAsyncEnumerable<T>
    where T : class
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new FeedEnumerator<T>(this, cancellationToken);

    /// <summary>Makes the feed of a run.</summary>
    internal abstract IFeed<T> Open(IPageReader<T> reader);

    /// <summary>The same query, but each run begins with the n-th last event at its start.</summary>
    /// <exception cref="NotSupportedException">The query is not in journal order.</exception>
    internal virtual JournalQuery<T> FromEnd(int count) => throw new NotSupportedException();
}

/// <summary>Events of one persistence id as a stream.</summary>
internal sealed class EventsOfId(IFeeds feeds, ByIdQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);
}

/// <summary>Events in the order of the journal as a stream.</summary>
internal sealed class EventsInOrder(IFeeds feeds, OrderedQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);

    internal override JournalQuery<JournalEvent> FromEnd(int count) => new EventsInOrder(feeds, query with { FromEnd = count });
}

/// <summary>Persistence ids as a stream.</summary>
internal sealed class Ids(IFeeds feeds, bool isLive) : JournalQuery<string>
{
    internal override IFeed<string> Open(IPageReader<string> reader) => feeds.OpenIds(isLive, reader);
}

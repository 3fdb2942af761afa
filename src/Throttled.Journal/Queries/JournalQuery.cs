namespace Throttled.Journal.Queries;

/// <summary>A query as a stream; each enumeration is a run of its own. Whoever enumerates may keep it for as long, so it is small.</summary>
internal abstract class JournalQuery<T> : IAsyncEnumerable<T>
    where T : class
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new FeedEnumerator<T>(this, cancellationToken);

    /// <summary>Makes the feed of a run.</summary>
    internal abstract IFeed<T> Open(IPageReader<T> reader);

    /// <summary>The same query, begun with the so many-th event from the end of the journal as it is when a run starts.</summary>
    /// <exception cref="NotSupportedException">The query has no such order.</exception>
    internal virtual JournalQuery<T> FromEnd(int count) => throw new NotSupportedException();
}

/// <summary>Events of one persistence id as a stream.</summary>
internal sealed class EventsOfId(JournalEngine engine, ByIdQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => engine.Open(query, reader);
}

/// <summary>Events in the order of the journal as a stream.</summary>
internal sealed class EventsInOrder(JournalEngine engine, OrderedQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => engine.Open(query, reader);

    internal override JournalQuery<JournalEvent> FromEnd(int count) => new EventsInOrder(engine, query with { FromEnd = count });
}

/// <summary>Persistence ids as a stream.</summary>
internal sealed class Ids(JournalEngine engine, bool isLive) : JournalQuery<string>
{
    internal override IFeed<string> Open(IPageReader<string> reader) => engine.OpenIds(isLive, reader);
}

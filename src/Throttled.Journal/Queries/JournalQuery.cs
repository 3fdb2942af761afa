using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>A query as a stream. Each enumeration is a separate run. The object is small, because callers may keep it as long as they enumerate.</summary>
internal abstract class JournalQuery<T> : IAsyncEnumerable<T>
    where T : class
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) => new FeedEnumerator<T>(this, cancellationToken);

    /// <summary>Creates the feed of one run.</summary>
    internal abstract IFeed<T> Open(IPageReader<T> reader);

    /// <summary>The same query, but each run begins with the n-th last event at its start.</summary>
    /// <exception cref="NotSupportedException">The query is not in journal order.</exception>
    internal virtual JournalQuery<T> FromEnd(int count) => throw new NotSupportedException();
}

internal sealed class ByIdStream(IFeeds feeds, ByIdQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);
}

internal sealed class OrderedStream(IFeeds feeds, OrderedQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);

    internal override JournalQuery<JournalEvent> FromEnd(int count) => new OrderedStream(feeds, query with { FromEnd = count });
}

internal sealed class IdsStream(IFeeds feeds, bool isLive) : JournalQuery<string>
{
    internal override IFeed<string> Open(IPageReader<string> reader) => feeds.OpenIds(isLive, reader);
}

internal readonly record struct ByIdQuery(string PersistenceId, SequenceRange Range, bool IsLive);

/// <summary>Events in journal order, after the ordering <see cref="After"/>.</summary>
internal readonly record struct OrderedQuery(EventFilter Filter, long After, bool IsLive)
{
    /// <summary>
    /// If above 0, the query begins with the n-th last event at its start, or with the first if there are fewer, and <see cref="After"/>
    /// is ignored. If 0, it begins after <see cref="After"/>.
    /// </summary>
    internal int FromEnd { get; init; }
}

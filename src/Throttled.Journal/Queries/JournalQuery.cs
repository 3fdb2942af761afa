using Throttled.Journal.Rows;

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
internal sealed class ByIdStream(IFeeds feeds, ByIdQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);
}

/// <summary>Events in the order of the journal as a stream.</summary>
internal sealed class OrderedStream(IFeeds feeds, OrderedQuery query) : JournalQuery<JournalEvent>
{
    internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => feeds.Open(query, reader);

    internal override JournalQuery<JournalEvent> FromEnd(int count) => new OrderedStream(feeds, query with { FromEnd = count });
}

/// <summary>Persistence ids as a stream.</summary>
internal sealed class IdsStream(IFeeds feeds, bool isLive) : JournalQuery<string>
{
    internal override IFeed<string> Open(IPageReader<string> reader) => feeds.OpenIds(isLive, reader);
}

/// <summary>The events of one persistence id.</summary>
/// <param name="PersistenceId">The id.</param>
/// <param name="Range">Its sequence numbers.</param>
/// <param name="IsLive">Whether the query goes on at the end of the journal.</param>
internal readonly record struct ByIdQuery(string PersistenceId, SequenceRange Range, bool IsLive);

/// <summary>Events in the order of the journal.</summary>
/// <param name="Filter">Which.</param>
/// <param name="After">The ordering behind which they begin.</param>
/// <param name="IsLive">Whether the query goes on at the end of the journal.</param>
internal readonly record struct OrderedQuery(EventFilter Filter, long After, bool IsLive)
{
    /// <summary>
    /// If above 0, the query begins with the n-th last event at its start, or with the first if there are fewer, and <see cref="After"/>
    /// is ignored. If 0, it begins after <see cref="After"/>.
    /// </summary>
    internal int FromEnd { get; init; }
}

using Throttled.Journal;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>
/// A shard of this node's journal, whose live queries get their events from the feed. Queries that the feed does not have read the journal: by
/// persistence id, of what is there now, and of other tags or slices.
/// </summary>
/// <param name="inner">The shard of the journal.</param>
/// <param name="number">The number of the shard, from 0.</param>
/// <param name="lanes">The lanes of the feed on this node.</param>
internal sealed class FedShard(IJournalShard inner, int number, FeedLanes lanes) : IJournalShard
{
    internal IJournalShard Inner => inner;

    internal int Number => number;

    public JournalOptions Options => inner.Options;

    public bool DividesSlices => true;

    public IReadOnlyList<IJournalShard> Shards => [this];

    public ShardMap? Map => inner.Map;

    public JournalQuery<JournalEvent> Events(ByIdQuery query) => inner.Events(query);

    public JournalQuery<JournalEvent> Events(OrderedQuery query) =>
        lanes.Context.Has(query) ? new FedQuery(lanes, this, query) : inner.Events(query);

    public JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive) =>
        Events(new OrderedQuery(filter, after.On(ShardMap.Even(1))[0], isLive));

    public JournalQuery<string> Ids(bool isLive) => inner.Ids(isLive);

    public Task<JournalHealth> CheckHealthAsync(CancellationToken cancellation) => inner.CheckHealthAsync(cancellation);

    public Task<long> EndAsync(CancellationToken cancellation) => inner.EndAsync(cancellation);

    public Task<long?> LastIssuedAsync(CancellationToken cancellation) => inner.LastIssuedAsync(cancellation);

    public Task<long> NowAsync(CancellationToken cancellation) => inner.NowAsync(cancellation);

    /// <summary>The journal belongs to the actor system.</summary>
    public ValueTask DisposeAsync() => default;

    private sealed class FedQuery(FeedLanes lanes, FedShard shard, OrderedQuery query) : JournalQuery<JournalEvent>
    {
        internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader) => new FedFeed(lanes, shard, query, reader);

        internal override JournalQuery<JournalEvent> FromEnd(int count) => shard.Inner.Events(query).FromEnd(count);
    }
}

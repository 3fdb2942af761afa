using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The feed of one shard, inside the feed's actor: its state machine and the query that it reads.</summary>
internal sealed class ShardFeed : IFeedServerPort<IActorRef>, IDisposable
{
    private readonly ClusterFeedContext _context;
    private readonly IJournalShard _shard;
    private readonly IActorRef _self;
    private PageQuery? _query;
    private bool _isFailing;

    internal ShardFeed(ClusterFeedContext context, IJournalShard shard, IActorRef self)
    {
        (_context, _shard, _self) = (context, shard, self);
        Server = new(context.Limits, this);
    }

    internal FeedServer<IActorRef> Server { get; }

    /// <summary>Takes a result of the query; a result of an older query is ignored.</summary>
    internal void Receive(QueryResult result)
    {
        if (result.Query != _query)
            return;
        switch (result)
        {
            case QueryPage page:
                Readable();
                Server.Page(page.Events);
                break;
            case QueryScanned { Scan: { } scan }:
                Readable();
                Server.Scanned(scan.UpTo, scan.IsFollowing);
                break;
            case QueryEnded { Error: JournalRewoundException rewound }:
                Server.Rewound(rewound.Ordering);
                break;
            case QueryEnded ended:
                Failed(ended.Error);
                break;
        }
    }

    public void Send(IActorRef client, FeedMessage message) => client.Tell(message, _self);

    public void OpenRead(long after)
    {
        CloseRead();
        _query = new(_shard.Events(new OrderedQuery(_context.Filter, after, IsLive: true)))
        {
            Page = (query, page) => _self.Tell(new QueryPage(this, query, EventsOf(page))),
            Scanned = (query, scan) => _self.Tell(new QueryScanned(this, query, scan)),
            Ended = (query, error) => _self.Tell(new QueryEnded(this, query, error)),
        };
    }

    public void ReadNext() => _query!.Demand();

    public void Scan() => _query!.Scan();

    public void CloseRead()
    {
        _query?.Close();
        _query = null;
    }

    public void Dispose() => CloseRead();

    // Copied on the journal's loop, because the journal may reclaim the page of a reader that is idle.
    private static JournalEvent[] EventsOf(Page<JournalEvent> page)
    {
        var events = new JournalEvent[page.Count];
        events[0] = page.TakeFirst();
        for (var index = 1; index < events.Length; index++)
            events[index] = page[index]!;
        return events;
    }

    private void Failed(Exception? error)
    {
        if (!_isFailing)
            _context.Log.FeedUnreadable(_context.Name, error?.Message ?? "the query ended", error);
        _isFailing = true;
        Server.ReadFailed(_context.Now);
    }

    private void Readable() => _isFailing = false;
}

/// <summary>A result of a feed's query.</summary>
internal abstract record QueryResult(ShardFeed Feed, PageQuery Query) : INoSerializationVerificationNeeded;

internal sealed record QueryPage(ShardFeed Feed, PageQuery Query, IReadOnlyList<JournalEvent> Events) : QueryResult(Feed, Query);

internal sealed record QueryScanned(ShardFeed Feed, PageQuery Query, Scan? Scan) : QueryResult(Feed, Query);

internal sealed record QueryEnded(ShardFeed Feed, PageQuery Query, Exception? Error) : QueryResult(Feed, Query);

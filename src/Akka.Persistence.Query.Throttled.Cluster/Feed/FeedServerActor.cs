using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The feed of the cluster: a singleton. It has one <see cref="ShardFeed"/> for each shard of the journal.</summary>
internal sealed class FeedServerActor : ReceiveActor, IWithTimers
{
    private static readonly TimeSpan TickInterval = TimeSpan.FromMilliseconds(250);

    private readonly ClusterFeedContext _context;
    private IReadOnlyList<ShardFeed> _feeds = [];
    private long _sent;
    private long _sentAway;

    public FeedServerActor(ClusterFeedContext context)
    {
        _context = context;
        Receive<FeedDemand>(demand => Of(demand)?.Server.Demand(demand, Sender, _context.Now));
        Receive<FeedLeave>(leave => Of(leave)?.Server.Leave(leave));
        Receive<QueryResult>(result => result.Feed.Receive(result));
        Receive<Tick>(_ => OnTick());
    }

    public ITimerScheduler Timers { get; set; } = null!;

    protected override void PreStart()
    {
        _feeds = [.. _context.Journal.Shards.Select(shard => new ShardFeed(_context, shard, Self))];
        Timers.StartPeriodicTimer(nameof(Tick), Tick.Instance, TickInterval);
        _context.Log.FeedStarted(_context.Name, _context.Source.ToString());
    }

    protected override void PostStop()
    {
        foreach (var feed in _feeds)
            feed.Dispose();
        _context.Metrics.WindowIs(0, 0);
    }

    private ShardFeed? Of(FeedMessage message) => message.Shard >= 0 && message.Shard < _feeds.Count ? _feeds[message.Shard] : null;

    private void OnTick()
    {
        foreach (var feed in _feeds)
            feed.Server.Tick(_context.Now);
        Measure();
    }

    private void Measure()
    {
        var (sent, sentAway) = (_feeds.Sum(feed => feed.Server.Sent), _feeds.Sum(feed => feed.Server.SentAway));
        _context.Metrics.Sent(sent - _sent);
        _context.Metrics.SentAway(sentAway - _sentAway);
        (_sent, _sentAway) = (sent, sentAway);
        _context.Metrics.WindowIs(_feeds.Sum(feed => (long)feed.Server.WindowEvents), _feeds.Sum(feed => feed.Server.WindowBytes));
    }

    private sealed class Tick
    {
        internal static Tick Instance { get; } = new();
    }
}

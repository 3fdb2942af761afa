using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The feed of the cluster: a singleton. It has one <see cref="ShardFeed"/> for each shard of the journal.</summary>
internal sealed class FeedServerActor : ReceiveActor, IWithTimers
{
    private static readonly TimeSpan TickInterval = TimeSpan.FromMilliseconds(250);

    private readonly ClusterFeedContext _context;
    private readonly HashSet<IActorRef> _clients = [];
    private IReadOnlyList<ShardFeed> _feeds = [];
    private FeedCounts _counted;

    public FeedServerActor(ClusterFeedContext context)
    {
        _context = context;
        Receive<FeedDemand>(demand =>
        {
            // The feed must not stay at the positions of lanes whose node was removed.
            if (_clients.Add(Sender))
                Context.Watch(Sender);
            Of(demand)?.Server.Demand(demand, Sender, _context.Now);
        });
        Receive<Terminated>(gone =>
        {
            _clients.Remove(gone.ActorRef);
            foreach (var feed in _feeds)
                feed.Server.Leave(gone.ActorRef);
        });
        Receive<FeedLeave>(leave => Of(leave)?.Server.Leave(leave));
        Receive<QueryResult>(result => result.Feed.Receive(result));
        Receive<Tick>(_ => OnTick());
    }

    public ITimerScheduler Timers { get; set; } = null!;

    protected override void PreStart()
    {
        _feeds = [.. _context.Journal.Shards.Select(shard => new ShardFeed(_context, shard, Self))];
        Timers.StartPeriodicTimer(nameof(Tick), Tick.Instance, TickInterval);
        _context.Metrics.Started();
        _context.Log.FeedStarted(_context.Name, _context.Source.ToString());
    }

    protected override void PostStop()
    {
        foreach (var feed in _feeds)
            feed.Dispose();
        Measure();
        _context.Metrics.Set(new FeedFigures());
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
        var counts = _feeds.Aggregate(default(FeedCounts), (sum, feed) => sum + feed.Server.Counts);
        _context.Metrics.Add(counts - _counted);
        _counted = counts;
        _context.Metrics.Set(_feeds.Select(feed => feed.Server.Figures(_context.Now)).Aggregate(new FeedFigures(), FeedFigures.Both));
    }

    private sealed class Tick
    {
        internal static Tick Instance { get; } = new();
    }
}

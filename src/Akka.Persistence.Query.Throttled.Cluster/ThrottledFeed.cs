using Akka.Actor;
using Akka.Cluster.Tools.Singleton;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Journal.Sharding;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>
/// One reader of the journal for a whole cluster. A cluster singleton reads the events once, and sends them to the nodes that ask for them. The feed
/// stores nothing: if its node stops, it starts on another one and continues where its readers are. A reader that is slow, or cannot reach the feed,
/// reads the journal by itself until it has caught up with the feed.
/// </summary>
public sealed class ThrottledFeed
{
    // What Akka.Remote adds to a message: paths of the actors, serializer and manifest.
    private const int Envelope = 4096;

    private ThrottledFeed(string name, JournalReader reader) => (Name, Reader) = (name, reader);

    /// <summary>The feed's name.</summary>
    public string Name { get; }

    /// <summary>
    /// The journal for readers on this node, for example projections. Its live queries of the feed's events, or of some of their slices, get them from
    /// the feed. Other queries read the database: by persistence id, of other tags, and those that end. Disposing it has no effect.
    /// </summary>
    public JournalReader Reader { get; }

    /// <summary>
    /// Gets a feed that <see cref="ThrottledFeedExtensions.WithThrottledFeed"/> added to the actor system. It is started if it does not run yet.
    /// </summary>
    /// <param name="system">The actor system.</param>
    /// <param name="name">The feed's name.</param>
    /// <exception cref="ConfigurationException">There is no such feed.</exception>
    public static ThrottledFeed Get(ActorSystem system, string name)
    {
        ArgumentNullException.ThrowIfNull(system);
        return ThrottledFeeds.Of(system)[name];
    }

    /// <summary>Starts this node's part of the feed.</summary>
    internal static ThrottledFeed Start(ExtendedActorSystem system, string name, ThrottledFeedOptions options)
    {
        options.Validate(name);
        var journal = system.ReadJournalFor<ThrottledReadJournal>(options.JournalId).Reader.Journal;
        var context = ContextOf(system, name, options, journal);
        system.RegisterOnTermination(context.Metrics.Dispose);
        var lanes = StartLanes(system, context, options.Role);
        system.RegisterOnTermination(() => lanes.Close(() => new JournalClosedException(options.JournalId, system.Name)));
        IReadOnlyList<FedShard> shards = [.. journal.Shards.Select((shard, number) => new FedShard(shard, number, lanes))];
        return new(name, new(journal.Map is { } map ? new MergedJournal(map, shards) : shards[0], isBorrowed: true));
    }

    private static ClusterFeedContext ContextOf(ExtendedActorSystem system, string name, ThrottledFeedOptions options, IJournal journal)
    {
        var frame = system.Settings.Config.GetByteSize("akka.remote.dot-netty.tcp.maximum-frame-size", 128_000)!.Value;
        return new()
        {
            Name = name,
            Source = options.Source,
            Journal = journal,
            Limits = new()
            {
                WindowEvents = options.WindowEvents,
                WindowBytes = options.WindowBytes,
                Lead = options.WindowEvents,
                FrameBytes = (int)Math.Clamp(frame - Envelope, Envelope, 1024 * 1024),
            },
            LaneLimits = new() { Credit = options.MaxBufferedEvents, FeedTimeout = options.FeedTimeout },
            Log = new AkkaLoggerFactory(Logging.GetLogger(system, ClusterLog.Category)).CreateLogger(""),
            Metrics = new(name),
        };
    }

    private static FeedLanes StartLanes(ExtendedActorSystem system, ClusterFeedContext context, string role)
    {
        var cluster = Akka.Cluster.Cluster.Get(system);
        var actorName = $"throttled-feed-{context.Name}";
        if (role.Length == 0 || cluster.SelfRoles.Contains(role))
        {
            system.SystemActorOf(
                ClusterSingletonManager.Props(
                    Props.Create(() => new FeedServerActor(context)),
                    PoisonPill.Instance,
                    ClusterSingletonManagerSettings.Create(system).WithRole(role).WithSingletonName("feed")),
                actorName);
        }
        // Without a buffer: a message that waits for the feed would be late, and the lane repeats it.
        var proxy = system.SystemActorOf(
            ClusterSingletonProxy.Props(
                $"/system/{actorName}", ClusterSingletonProxySettings.Create(system).WithRole(role).WithSingletonName("feed").WithBufferSize(0)),
            $"{actorName}-proxy");
        IActorRef client = ActorRefs.Nobody;
        var node = FormattableString.Invariant($"{cluster.SelfAddress.Host}:{cluster.SelfAddress.Port}#{cluster.SelfUniqueAddress.Uid}");
        var lanes = new FeedLanes(context, node) { Send = message => proxy.Tell(message, client) };
        client = system.SystemActorOf(Props.Create(() => new FeedClientActor(lanes)), $"{actorName}-lanes");
        return lanes;
    }
}

using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>A node of a cluster on loopback, with the feeds <c>all</c> and <c>small</c>, and a meter of its statements.</summary>
internal sealed class FeedNode
{
    private const string Settings = """
        akka {
          loglevel = ERROR
          stdout-loglevel = OFF
          actor.provider = cluster
          remote.dot-netty.tcp { hostname = 127.0.0.1, port = 0 }
          cluster { gossip-interval = 100ms, leader-actions-interval = 100ms, run-coordinated-shutdown-when-down = off }
          coordinated-shutdown { run-by-actor-system-terminate = off, run-by-clr-shutdown-hook = off }
        }
        """;

    private FeedNode(ActorSystem system)
    {
        System = system;
        // The reader is opened here, on this thread, so that the meter finds it.
        (Meter, _) = StatementMeter.Of(() => system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader);
        Feed = ThrottledFeed.Get(system, "all");
        Small = ThrottledFeed.Get(system, "small");
    }

    internal ActorSystem System { get; }

    internal StatementMeter Meter { get; }

    internal ThrottledFeed Feed { get; }

    /// <summary>A feed with a small window.</summary>
    internal ThrottledFeed Small { get; }

    internal global::Akka.Cluster.Cluster Cluster => global::Akka.Cluster.Cluster.Get(System);

    /// <summary>Starts a node and joins it to another one; null for the first node of the cluster.</summary>
    internal static async Task<FeedNode> StartAsync(FeedJournal journal, FeedNode? first = null)
    {
        // No lane of these tests reads for itself only because the machine is slow.
        var feeds = new ThrottledFeedSetup();
        feeds.Feeds["all"] = new() { FeedTimeout = TimeSpan.FromHours(1) };
        feeds.Feeds["small"] = new() { FeedTimeout = TimeSpan.FromHours(1), WindowEvents = 400, MaxBufferedEvents = 100 };
        var config = ConfigurationFactory.ParseString(Settings)
            .WithFallback(journal.Settings)
            .WithFallback(ThrottledFeedExtensions.Reference)
            .WithFallback(global::Akka.Cluster.Tools.Singleton.ClusterSingleton.DefaultConfig());
        var system = ActorSystem.Create("feed", ActorSystemSetup.Create(BootstrapSetup.Create().WithConfig(config), feeds));
        var node = new FeedNode(system);
        await node.Cluster.JoinAsync((first ?? node).Cluster.SelfAddress).WithinAsync("a node is Up");
        return node;
    }

    /// <summary>Ends this node without a word to the others.</summary>
    internal async Task KillAsync(FeedNode other)
    {
        var address = Cluster.SelfAddress;
        await System.Terminate();
        other.Cluster.Down(address);
    }

    internal async Task StopAsync()
    {
        await System.Terminate();
        Meter.Dispose();
    }
}

using Akka.Actor;
using Akka.Cluster;
using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Cluster;
using Akka.Persistence.Query.Throttled.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Nodes;

/// <summary>
/// The program of a node: the bank's projection on daemons that read the feed, queries beside it, and the budget. It prints what it sees of the cluster,
/// and obeys the lines of its standard input.
/// </summary>
internal sealed class NodeProgram(NodeWork work)
{
    /// <summary>The node keeps its batches open before the commit from now on, as <see cref="NodeHandler.Keep"/> says.</summary>
    internal const string Keep = "keep";

    /// <summary>The node commits its open batches, and keeps none open any more.</summary>
    internal const string Release = "release";

    /// <summary>The node leaves the cluster and ends.</summary>
    internal const string Leave = "leave";

    private readonly NodeHandler _handler = new(work);

    internal static Task RunAsync(string text) => new NodeProgram(NodeWork.Read(text)).RunAsync();

    private async Task RunAsync()
    {
        using var host = Build();
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();
        var load = new NodeLoad(system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader);
        load.Start();
        // Console.In blocks its thread, also in asynchronous methods.
        var left = Task.Factory.StartNew(Obey, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Task.WhenAny(left, system.WhenTerminated);
        Console.WriteLine(left.IsCompleted ? "leaving" : "terminated");
        await host.StopAsync();
    }

    private void Obey()
    {
        while (Console.ReadLine() is { } line)
        {
            if (line == Keep)
                _handler.Keep();
            else if (line == Release)
                _handler.Release();
            else if (line == Leave)
                return;
        }
        // The tests have ended.
        Environment.Exit(1);
    }

    private IHost Build()
    {
        var place = work.Bank.Place;
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services
            .AddSingleton(_ => place.ReadModelOf(place.OpenSource()))
            .AddAkka(NodeWork.System, akka => akka
                .AddHocon(Settings(), HoconAddMode.Prepend)
                .WithClustering(new ClusterOptions { SeedNodes = [work.Seed.ToString()] })
                .WithThrottledReadJournal(
                    $"{place.Journal};Application Name={NodeWork.Reader}{work.Address.Host}",
                    "PostgreSQL",
                    journal =>
                    {
                        journal.RefreshInterval = TimeSpan.FromMilliseconds(50);
                        // The budget's grace period is 15 s longer.
                        journal.StatementTimeout = TimeSpan.FromSeconds(2);
                    },
                    journal => journal.WithClusterBudget(NodeWork.Budget))
                .WithThrottledFeed(NodeWork.Feed, feed => feed.FeedTimeout = TimeSpan.FromSeconds(2))
                .WithThrottledProjection(
                    BankWork.Projection,
                    _handler,
                    projection => projection.WithJournal(NodeWork.Feed).WithOptions(options => work.Bank.Options with
                    {
                        Lanes = work.Lanes,
                        LeaseDuration = TimeSpan.FromSeconds(3),
                        LoggerFactory = options.LoggerFactory,
                    }))
                .AddStartup((system, _) =>
                {
                    if (work.IsLater)
                        LaterMessages.Register(system);
                    system.ActorOf(Props.Create(() => new ClusterPrinter()));
                }))
            .AddThrottledFeedReader(NodeWork.Feed);
        return builder.Build();
    }

    // Shorter times of failure detector and split brain resolver, which is the default one.
    private string Settings() =>
        $$"""
        akka {
          loglevel = INFO
          coordinated-shutdown.run-by-clr-shutdown-hook = off
          remote.dot-netty.tcp {
            hostname = "127.0.0.1"
            public-hostname = "{{work.Address.Host}}"
            port = {{work.Address.Port}}
            public-port = {{work.Address.Port}}
          }
          remote.retry-gate-closed-for = 500ms
          cluster {
            gossip-interval = 200ms
            leader-actions-interval = 200ms
            seed-node-timeout = 1s
            retry-unsuccessful-join-after = 500ms
            failure-detector.acceptable-heartbeat-pause = 10s
            split-brain-resolver.stable-after = {{work.StableAfterSeconds}}s
            sharded-daemon-process.sharding.rebalance-interval = 1s
            sharding.retry-interval = 500ms
            sharding.waiting-for-state-timeout = 1s
            singleton.hand-over-retry-interval = 500ms
            sharded-daemon-process.keep-alive-interval = 1s
          }
        }
        """;

    private sealed class ClusterPrinter : ReceiveActor
    {
        public ClusterPrinter()
        {
            Receive<ClusterEvent.MemberUp>(seen => Print("up", seen.Member));
            Receive<ClusterEvent.MemberRemoved>(seen => Print("removed", seen.Member));
            Receive<ClusterEvent.UnreachableMember>(seen => Print("unreachable", seen.Member));
            Receive<ClusterEvent.ReachableMember>(seen => Print("reachable", seen.Member));
            Akka.Cluster.Cluster.Get(Context.System).Subscribe(
                Self, ClusterEvent.SubscriptionInitialStateMode.InitialStateAsEvents,
                typeof(ClusterEvent.MemberUp), typeof(ClusterEvent.MemberRemoved), typeof(ClusterEvent.UnreachableMember), typeof(ClusterEvent.ReachableMember));
        }

        private static void Print(string what, Member member) => Console.WriteLine($"{what} {member.Address.Host}");
    }
}

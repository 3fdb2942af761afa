using Akka.Actor;
using Akka.Cluster;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Cluster.Budget;
using Akka.Persistence.Query.Throttled.Settings;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

/// <summary>Actor systems in one cluster on loopback. The first one starts it.</summary>
public sealed class BudgetCluster : IAsyncLifetime
{
    private const string Settings = """
        akka {
          loglevel = ERROR
          stdout-loglevel = OFF
          actor.provider = cluster
          remote.dot-netty.tcp { hostname = 127.0.0.1, port = 0 }
          cluster {
            roles = [reader]
            gossip-interval = 100ms
            leader-actions-interval = 100ms
            run-coordinated-shutdown-when-down = off
          }
        }
        """;

    private readonly List<ActorSystem> _systems = [];

    internal ActorSystem First => _systems[0];

    public async Task InitializeAsync()
    {
        var first = NewSystem();
        await global::Akka.Cluster.Cluster.Get(first).JoinAsync(global::Akka.Cluster.Cluster.Get(first).SelfAddress).WithinAsync("the first node is Up");
    }

    public Task DisposeAsync() => Task.WhenAll(_systems.Select(system => system.Terminate()));

    /// <summary>A node that has joined.</summary>
    internal async Task<ActorSystem> JoinAsync(string settings = "")
    {
        var system = NewSystem(settings);
        await global::Akka.Cluster.Cluster.Get(system).JoinAsync(global::Akka.Cluster.Cluster.Get(First).SelfAddress).WithinAsync("a node is Up");
        return system;
    }

    /// <summary>Ends a node without a word to the others, which then down it.</summary>
    internal async Task KillAsync(ActorSystem system)
    {
        var address = global::Akka.Cluster.Cluster.Get(system).SelfAddress;
        await system.Terminate();
        global::Akka.Cluster.Cluster.Get(First).Down(address);
        await GoneAsync(address);
    }

    internal async Task LeaveAsync(ActorSystem system)
    {
        var address = global::Akka.Cluster.Cluster.Get(system).SelfAddress;
        await global::Akka.Cluster.Cluster.Get(system).LeaveAsync().WithinAsync("a node has left");
        await GoneAsync(address);
        await system.Terminate();
    }

    internal ActorSystem NewSystem(string settings = "")
    {
        var system = ActorSystem.Create("budget", ConfigurationFactory.ParseString(settings).WithFallback(Settings));
        _systems.Add(system);
        return system;
    }

    private Task GoneAsync(Address address) => Wait.UntilAsync(
        () => global::Akka.Cluster.Cluster.Get(First).State.Members.All(member => member.Address != address), "the node is removed");
}

/// <summary>One node's budget of 60 statements and 30 a second, without a journal.</summary>
internal sealed class BudgetOfNode
{
    internal static readonly TimeSpan Grace = TimeSpan.FromMinutes(10);

    private readonly PermitCeiling.CeilingUse _statements;

    internal BudgetOfNode(ActorSystem system, TimeProvider time, string journal, int permits = 60)
    {
        _statements = Ceiling.Open();
        System = system;
        Actor = ((ExtendedActorSystem)system).SystemActorOf(
            BudgetActor.Props(new(journal, new BudgetSettings("cluster", "reader", permits, 30), [Ceiling], new(Grace, TimeSpan.Zero), time, NullLogger.Instance)), BudgetActor.NameOf(journal));
        ClusterBudget.Register((ExtendedActorSystem)system);
    }

    internal ActorSystem System { get; }

    internal IActorRef Actor { get; }

    internal PermitCeiling Ceiling { get; } = new();

    internal Task HasAsync(int permits) => Wait.UntilAsync(() => Ceiling.Permits == permits, () => $"{permits} permits; it has {Ceiling.Permits}");

    internal void Start(int statements) => Assert.All(Enumerable.Range(0, statements), _ => Assert.True(_statements.TryTake()));

    internal void End(int statements)
    {
        for (var i = 0; i < statements; i++)
            _statements.Return();
    }
}

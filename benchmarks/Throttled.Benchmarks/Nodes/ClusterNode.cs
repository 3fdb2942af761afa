using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Cluster.Sharding;
using Akka.Hosting;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Cluster;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Npgsql;
using Throttled.Projections;

namespace Throttled.Benchmarks.Nodes;

/// <summary>A node of a cluster in this process, with sharded entities, a read journal and the feed.</summary>
internal sealed class ClusterNode : IAsyncDisposable
{
    private const string Feed = "all";
    private const string Name = "entities";
    private const int Lanes = 12;

    private readonly IHost _host;
    private readonly string _readModel;
    private Projection? _projection;
    private NpgsqlDataSource? _source;

    private ClusterNode(IHost host, string readModel) => (_host, _readModel) = (host, readModel);

    /// <summary>The journal of this node, which polls for itself.</summary>
    internal JournalReader Own => System.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader;

    /// <summary>The feed's reader.</summary>
    internal JournalReader Fed => ThrottledFeed.Get(System, Feed).Reader;

    private ActorSystem System => _host.Services.GetRequiredService<ActorSystem>();

    private Akka.Cluster.Cluster Cluster => Akka.Cluster.Cluster.Get(System);

    /// <summary>Starts nodes of one cluster.</summary>
    /// <param name="count">The number of nodes.</param>
    /// <param name="journal">The connection string of the journal, with the readers' role.</param>
    /// <param name="readModel">The connection string of the projection's offsets.</param>
    /// <param name="hasFeed">Whether the nodes have a feed, which polls for all of them.</param>
    /// <param name="arrivals">Counts the events of all entities.</param>
    internal static async Task<IReadOnlyList<ClusterNode>> StartAsync(int count, string journal, string readModel, bool hasFeed, ArrivedEvents arrivals)
    {
        List<ClusterNode> nodes = [];
        for (var number = 0; number < count; number++)
        {
            var node = new ClusterNode(Build(journal, hasFeed, arrivals), readModel);
            await node._host.StartAsync();
            nodes.Add(node);
            await node.Cluster.JoinAsync(nodes[0].Cluster.SelfAddress);
        }
        return nodes;
    }

    /// <summary>Sends a message to an entity, and waits for its answer.</summary>
    internal Task AskAsync(EntityMessage message) => ClusterSharding.Get(System).ShardRegion(Name).Ask<bool>(message, TimeSpan.FromMinutes(1));

    /// <summary>Starts a projection that sends all events to the entities. The nodes divide its lanes.</summary>
    /// <param name="isFed">Whether the events come from the feed.</param>
    internal void Project(bool isFed)
    {
        _source = NpgsqlDataSource.Create(_readModel);
        var handler = ActivatorUtilities.CreateInstance<EntityHandler<Entity>>(
            _host.Services,
            new EntityHandlerOptions<Entity>
            {
                Message = each => new EntityEvent(each.PersistenceId, each.SequenceNumber),
                MaxUnacknowledged = 500,
                AckTimeout = TimeSpan.FromMinutes(1),
            });
        _projection = new(isFed ? Fed : Own, ReadModelDatabase.PostgreSql(_source), handler, new()
        {
            Name = Name,
            ProcessName = Cluster.SelfAddress.ToString(),
            Lanes = Lanes,
            Decoder = stored => stored,
        });
        _projection.Start();
    }

    public async ValueTask DisposeAsync()
    {
        if (_projection is { } projection)
            await projection.DisposeAsync();
        if (_source is { } source)
            await source.DisposeAsync();
        // The other nodes end as well, so none waits for them.
        await System.Terminate();
        await ((IAsyncDisposable)_host).DisposeAsync();
    }

    private static IHost Build(string journal, bool hasFeed, ArrivedEvents arrivals)
    {
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.AddAkka("bench", akka =>
        {
            akka.AddHocon(
                    EntitySerializer.Hocon +
                    """

                    akka {
                      loglevel = OFF
                      stdout-loglevel = OFF
                      coordinated-shutdown { run-by-actor-system-terminate = off, run-by-clr-shutdown-hook = off }
                      cluster {
                        gossip-interval = 200ms
                        leader-actions-interval = 200ms
                        failure-detector.acceptable-heartbeat-pause = 30s
                        sharding.passivate-idle-entity-after = off
                        sharding.rebalance-interval = 1h
                      }
                    }
                    """,
                    HoconAddMode.Prepend)
                .WithRemoting("127.0.0.1", 0)
                .WithClustering()
                .WithThrottledReadJournal(journal, "PostgreSQL")
                .WithShardRegion<Entity>(
                    Name,
                    (system, _, _) =>
                    {
                        var reader = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader;
                        return id => Props.Create(() => new Entity(id, reader, arrivals));
                    },
                    new EntityExtractor(),
                    new ShardOptions());
            if (hasFeed)
                akka.WithThrottledFeed(Feed);
        });
        return builder.Build();
    }
}

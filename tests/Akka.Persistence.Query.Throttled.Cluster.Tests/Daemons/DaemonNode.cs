using System.Globalization;
using Akka.Actor;
using Akka.Cluster;
using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Remote.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Daemons;

/// <summary>A node of a cluster on loopback, with the projection on daemons. It reads the journal by the read journal of its actor system.</summary>
internal sealed class DaemonNode : IAsyncDisposable
{
    private const string Fast = """
        akka.loglevel = WARNING
        akka.cluster.gossip-interval = 100ms
        akka.cluster.leader-actions-interval = 100ms
        akka.cluster.retry-unsuccessful-join-after = 300ms
        akka.cluster.seed-node-timeout = 500ms
        akka.cluster.sharding.retry-interval = 200ms
        akka.cluster.sharded-daemon-process.sharding.rebalance-interval = 500ms
        akka.cluster.sharding.waiting-for-state-timeout = 500ms
        akka.cluster.sharding.distributed-data.gossip-interval = 100ms
        akka.cluster.sharding.distributed-data.notify-subscribers-interval = 50ms
        akka.cluster.singleton.hand-over-retry-interval = 200ms
        akka.cluster.sharded-daemon-process.keep-alive-interval = 500ms
        """;

    private readonly IHost _host;
    private readonly int _port;
    private bool _isStopped;

    private DaemonNode(IHost host, int port, NumberHandler handler) => (_host, _port, Handler) = (host, port, handler);

    internal NumberHandler Handler { get; }

    internal ActorSystem System => _host.Services.GetRequiredService<ActorSystem>();

    internal Akka.Cluster.Cluster Cluster => Akka.Cluster.Cluster.Get(System);

    /// <param name="seed">A node of the cluster to join; null for the first node.</param>
    internal static async Task<DaemonNode> StartAsync(
        ProjectedFiles files, string name, DaemonNode? seed = null, ProjectionDaemonOptions? daemons = null, RecordedLog? log = null, string[]? roles = null)
    {
        var (port, handler) = (LoopbackPort.Choose(), new NumberHandler());
        var builder = new HostApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        if (log is not null)
            builder.Services.AddSingleton<ILoggerFactory>(log);
        builder.Services.AddSingleton(_ => files.OpenReadModel());
        builder.Services.AddAkka("daemons", akka => akka
            .AddHocon(Fast, HoconAddMode.Prepend)
            .WithRemoting("127.0.0.1", port)
            .WithClustering(new ClusterOptions
            {
                SeedNodes = [string.Create(CultureInfo.InvariantCulture, $"akka.tcp://daemons@127.0.0.1:{seed?._port ?? port}")],
                Roles = roles ?? [],
            })
            .WithThrottledReadJournal(files.JournalString, "SQLite", options => options.RefreshInterval = TimeSpan.FromMilliseconds(20))
            .WithThrottledProjection(
                ProjectedFiles.Name, handler, projection => projection.WithOptions(options => ProjectedFiles.Options(options, name)), daemons));
        var node = new DaemonNode(builder.Build(), port, handler);
        try
        {
            await node._host.StartAsync().WithinAsync("the host has started");
        }
        catch
        {
            await ((IAsyncDisposable)node._host).DisposeAsync();
            throw;
        }
        await Wait.UntilAsync(() => node.Cluster.SelfMember.Status == MemberStatus.Up, $"{name} to be up");
        return node;
    }

    /// <summary>Leaves the cluster, and ends.</summary>
    internal async Task StopAsync()
    {
        if (_isStopped)
            return;
        _isStopped = true;
        await _host.StopAsync().WithinAsync("the host has stopped");
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
    }
}

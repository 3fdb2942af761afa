using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Cluster.Sharding;

namespace Akka.Persistence.Query.Throttled.Cluster.Daemons;

/// <summary>The projections of a node's actor system.</summary>
internal sealed class ProjectionDaemons(ExtendedActorSystem system) : IExtension
{
    private readonly ConcurrentDictionary<string, ProjectionNode> _nodes = new(StringComparer.Ordinal);

    internal static ProjectionDaemons Of(ActorSystem system) => system.WithExtension<ProjectionDaemons, ProjectionDaemonsProvider>();

    internal static TimeSpan HandoffTimeout(ActorSystem system) =>
        system.Settings.Config.GetTimeSpan("akka.cluster.sharded-daemon-process.sharding.handoff-timeout", null);

    internal static bool RunsOn(ActorSystem system, ProjectionDaemonOptions options) =>
        options.Role is null || Akka.Cluster.Cluster.Get(system).SelfRoles.Contains(options.Role);

    /// <exception cref="InvalidOperationException">There is a projection of that name.</exception>
    internal void Start(ProjectionNode node, int daemons, ProjectionDaemonOptions options)
    {
        if (!_nodes.TryAdd(node.Name, node))
            throw new InvalidOperationException($"There is a projection '{node.Name}' already. Give this one another name, or leave it out.");
        var name = $"throttled-projection-{Uri.EscapeDataString(node.Name)}";
        CoordinatedShutdown.Get(system).AddTask(CoordinatedShutdown.PhaseClusterLeave, name, async () =>
        {
            await node.CloseAsync().ConfigureAwait(false);
            return Done.Instance;
        });
        var settings = ShardedDaemonProcessSettings.Create(system);
        ShardedDaemonProcess.Get(system).Init(
            name,
            daemons,
            daemon => LaneDaemon.Supervised(node, daemon, options.DrainTimeout),
            options.Role is { } role ? settings.WithRole(role) : settings,
            LaneDaemon.Drain.Instance);
    }
}

internal sealed class ProjectionDaemonsProvider : ExtensionIdProvider<ProjectionDaemons>
{
    public override ProjectionDaemons CreateExtension(ExtendedActorSystem system) => new(system);
}

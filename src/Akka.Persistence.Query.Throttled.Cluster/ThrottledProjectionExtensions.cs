using Akka.Actor;
using Akka.Cluster.Sharding;
using Akka.Cluster.Tools.Singleton;
using Akka.Configuration;
using Akka.DistributedData;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Cluster.Daemons;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Throttled.Journal;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>
/// Projections whose lanes run on the nodes of a cluster. Akka.Cluster decides which node runs which lane; the leases and epochs in the read model's
/// database keep two nodes from writing the same lane. The tables, commands and status are those of projections without a cluster.
/// </summary>
public static class ThrottledProjectionExtensions
{
    /// <summary>
    /// Adds a projection whose handler comes from the services. A handler that is not registered is created from them. It must be a singleton: one
    /// serves all lanes of the node. Add the projection on all nodes, with the same number of lanes. A sharded daemon process starts one daemon for
    /// each of the <see cref="ProjectionOptions.Lanes"/>. If a command changes the number of lanes, the same daemons share the new lanes.
    /// </summary>
    /// <typeparam name="THandler">The handler: a <see cref="BatchHandler"/> or <see cref="AtLeastOnceHandler"/>.</typeparam>
    /// <param name="builder">The builder. The actor system needs Akka.Cluster: <c>WithClustering</c>.</param>
    /// <param name="name">The projection's name, as in <see cref="ProjectionOptions.Name"/>. It must be unique in the actor system.</param>
    /// <param name="configure">
    /// Configures the projection; nothing by default. The journal is the service <see cref="JournalReader"/>; if there is none, the read journal
    /// <c>throttled</c>. Events are decoded by <see cref="ThrottledReadJournal.PayloadDecoder"/>. The read model is the service
    /// <see cref="ReadModelDatabase"/>. <see cref="ProjectionOptions.LaneOwnership"/> is replaced.
    /// </param>
    /// <param name="daemons">Where the lanes run and how they move; by default on all nodes.</param>
    /// <exception cref="ArgumentException">The name is empty. Or, when the actor system starts: an option is out of its range.</exception>
    /// <exception cref="ConfigurationException">When the actor system starts: an option of <paramref name="daemons"/> is out of its range.</exception>
    /// <exception cref="InvalidOperationException">When the actor system starts: the name is used twice, or a service is missing.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledProjection<THandler>(
        this AkkaConfigurationBuilder builder, string name, Action<ProjectionRegistration>? configure = null, ProjectionDaemonOptions? daemons = null)
        where THandler : ProjectionHandler
    {
        THandler? created = null;
        return Add(builder, name, services => services.GetService<THandler>() ?? (created ??= ActivatorUtilities.CreateInstance<THandler>(services)), configure, daemons);
    }

    /// <summary>Adds a projection with a given handler. Otherwise the same as the other overload.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The projection's name. It must be unique in the actor system.</param>
    /// <param name="handler">The handler. The caller disposes it.</param>
    /// <param name="configure">Configures the projection; nothing by default.</param>
    /// <param name="daemons">Where the lanes run and how they move; by default on all nodes.</param>
    /// <exception cref="ArgumentException">The name is empty. Or, when the actor system starts: an option is out of its range.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledProjection(
        this AkkaConfigurationBuilder builder,
        string name,
        ProjectionHandler handler,
        Action<ProjectionRegistration>? configure = null,
        ProjectionDaemonOptions? daemons = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(builder, name, _ => handler, configure, daemons);
    }

    private static AkkaConfigurationBuilder Add(
        AkkaConfigurationBuilder builder,
        string name,
        Func<IServiceProvider, ProjectionHandler> handler,
        Action<ProjectionRegistration>? configure,
        ProjectionDaemonOptions? daemons)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        return builder
            .AddHocon(ClusterSharding.DefaultConfig(), HoconAddMode.Append)
            .AddHocon(ClusterSingleton.DefaultConfig(), HoconAddMode.Append)
            .AddHocon(DistributedData.DistributedData.DefaultConfig(), HoconAddMode.Append)
            .WithActors((system, _, resolver) =>
            {
                var registration = new ProjectionRegistration(name, handler)
                    .WithJournal(services => services.GetService<JournalReader>() ?? system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader)
                    .WithOptions(options => options with { Decoder = ThrottledReadJournal.PayloadDecoder(system) });
                configure?.Invoke(registration);
                Start(system, resolver.GetService<IServiceProvider>(), registration, daemons ?? new());
            });
    }

    // All services are resolved here: a wrong configuration must stop the start of the host with its own error.
    private static void Start(ActorSystem system, IServiceProvider services, ProjectionRegistration registration, ProjectionDaemonOptions daemons)
    {
        daemons.Validate(ProjectionDaemons.HandoffTimeout(system));
        if (!ProjectionDaemons.RunsOn(system, daemons))
            return;
        var (journal, readModel, handler, options) =
            (registration.JournalOf(services), registration.ReadModelOf(services), registration.HandlerOf(services), registration.OptionsOf(services));
        options.Validate();
        var log = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger(ClusterLog.Category);
        var node = new ProjectionNode(
            registration.Name, options.Lanes, lanes => new(journal, readModel, handler, options with { LaneOwnership = lanes }), log);
        ProjectionDaemons.Of(system).Start(node, options.Lanes, daemons);
    }
}

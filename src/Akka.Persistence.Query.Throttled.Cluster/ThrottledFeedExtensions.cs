using Akka.Actor;
using Akka.Cluster.Tools.Singleton;
using Akka.Configuration;
using Akka.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Throttled.Journal;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>Feeds for Akka.Hosting: one reader of the journal for all nodes of a cluster.</summary>
public static class ThrottledFeedExtensions
{
    private const string Resource = "Akka.Persistence.Query.Throttled.Cluster.reference.conf";

    internal static Config Reference { get; } = ConfigurationFactory.FromResource(Resource, typeof(ThrottledFeedExtensions).Assembly);

    /// <summary>
    /// Adds a feed. Add it on all nodes, with the same options: on those where it may run, and on those that read from it. The actor system needs
    /// Akka.Cluster (<c>WithClustering</c>) and the read journal (<c>WithThrottledReadJournal</c>).
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="name">The feed's name, the same on all nodes: letters, digits, <c>-</c> and <c>_</c>.</param>
    /// <param name="configure">Sets options; none by default.</param>
    /// <exception cref="ArgumentException">The name is empty or has other characters.</exception>
    /// <exception cref="ConfigurationException">The feed was added already, or an option is wrong; the message names it.</exception>
    /// <returns>The builder.</returns>
    public static AkkaConfigurationBuilder WithThrottledFeed(
        this AkkaConfigurationBuilder builder, string name, Action<ThrottledFeedOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (!name.All(each => char.IsAsciiLetterOrDigit(each) || each is '-' or '_'))
            throw new ArgumentException($"The feed's name is \"{name}\"; it may have letters, digits, - and _ only. It is part of an actor's name.", nameof(name));
        var options = new ThrottledFeedOptions();
        configure?.Invoke(options);
        options.Validate(name);
        if (!SetupOf(builder).Feeds.TryAdd(name, options))
            throw new ConfigurationException($"There is a feed '{name}' already. Give this one another name, or leave it out.");
        return builder
            .AddHocon(Reference, HoconAddMode.Append)
            .AddHocon(ClusterSingleton.DefaultConfig(), HoconAddMode.Append)
            .AddStartup((system, _) => ThrottledFeed.Get(system, name));
    }

    /// <summary>
    /// Adds the reader of a feed to the services, with the feed's name as the key. A projection uses it with <c>projection.WithJournal("all")</c>.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The feed's name, as in <see cref="WithThrottledFeed"/>.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    /// <returns>The services.</returns>
    public static IServiceCollection AddThrottledFeedReader(this IServiceCollection services, string name)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        return services.AddKeyedSingleton(name, (provider, _) => ThrottledFeed.Get(provider.GetRequiredService<ActorSystem>(), name).Reader);
    }

    /// <summary>
    /// Adds a projection that sends the events of a feed to entities of Akka.Cluster.Sharding, each at least once, with at most so many unacknowledged
    /// as <see cref="EntityHandlerOptions{TEntity}.MaxUnacknowledged"/> says. Its lanes and offsets are those of any projection, so it needs a
    /// <see cref="ReadModelDatabase"/>. To run the lanes on other nodes, add an <see cref="EntityHandler{TEntity}"/> like any other handler.
    /// </summary>
    /// <typeparam name="TEntity">The key of the shard region in the actor registry, as in <c>WithShardRegion&lt;TEntity&gt;</c>.</typeparam>
    /// <param name="services">The host's services, with <c>AddAkka</c>.</param>
    /// <param name="name">The projection's name. It must be unique in the host.</param>
    /// <param name="feed">The feed's name; <see cref="AddThrottledFeedReader"/> adds its reader.</param>
    /// <param name="configure">Sets how events are sent; nothing by default.</param>
    /// <param name="projection">Configures the projection further; nothing by default. Events are decoded as the read journal decodes them.</param>
    /// <exception cref="ArgumentException">A name is empty, or an option is out of its range.</exception>
    /// <returns>The services.</returns>
    public static IServiceCollection AddThrottledFeedToEntities<TEntity>(
        this IServiceCollection services,
        string name,
        string feed,
        Action<EntityHandlerOptions<TEntity>>? configure = null,
        Action<ProjectionRegistration>? projection = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(feed);
        var options = new EntityHandlerOptions<TEntity>();
        configure?.Invoke(options);
        options.Validate();
        return services.AddSingleton(options).AddProjection<EntityHandler<TEntity>>(name, registration =>
        {
            registration.WithJournal(feed).WithOptions((provider, settings) => settings with
            {
                Decoder = ThrottledReadJournal.PayloadDecoder(provider.GetRequiredService<ActorSystem>()),
            });
            projection?.Invoke(registration);
        });
    }

    // An actor system keeps one setup of each type, so this one serves all feeds.
    private static ThrottledFeedSetup SetupOf(AkkaConfigurationBuilder builder)
    {
        var setup = builder.Setups.OfType<ThrottledFeedSetup>().LastOrDefault();
        if (setup is null)
            builder.AddSetup(setup = new());
        return setup;
    }
}

using System.Collections.Concurrent;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>The feeds of an actor system. Each starts when it is first used, at the latest when the host starts.</summary>
internal sealed class ThrottledFeeds(ExtendedActorSystem system) : IExtension
{
    private readonly ConcurrentDictionary<string, Lazy<ThrottledFeed>> _feeds = new(StringComparer.Ordinal);

    /// <exception cref="ConfigurationException">There is no such feed, or its options are wrong.</exception>
    internal ThrottledFeed this[string name] => _feeds.GetOrAdd(name, Create).Value;

    internal static ThrottledFeeds Of(ActorSystem system) => system.WithExtension<ThrottledFeeds, Provider>();

    private Lazy<ThrottledFeed> Create(string name)
    {
        var feeds = system.Settings.Setup.Get<ThrottledFeedSetup>().Value?.Feeds ?? new Dictionary<string, ThrottledFeedOptions>();
        return feeds.TryGetValue(name, out var options)
            ? new(() => ThrottledFeed.Start(system, name, options))
            : throw new ConfigurationException(
                $"There is no feed '{name}'; there are: {(feeds.Count == 0 ? "none" : string.Join(", ", feeds.Keys))}. Add it with 'WithThrottledFeed'.");
    }

    private sealed class Provider : ExtensionIdProvider<ThrottledFeeds>
    {
        public override ThrottledFeeds CreateExtension(ExtendedActorSystem system) => new(system);
    }
}

/// <summary>The feeds that were added to an actor system, before it started.</summary>
internal sealed class ThrottledFeedSetup : Setup
{
    internal Dictionary<string, ThrottledFeedOptions> Feeds { get; } = new(StringComparer.Ordinal);
}

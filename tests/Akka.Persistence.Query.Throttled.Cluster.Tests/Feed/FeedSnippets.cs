using Akka.Actor;
using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>Code of docs/cluster-feed.md.</summary>
internal static class FeedSnippets
{
    internal static void Hosting(AkkaConfigurationBuilder akka) =>
        akka
            .WithClustering(new ClusterOptions { Roles = ["reader"] })
            .WithThrottledReadJournal()
            .WithThrottledFeed("all", feed => feed.Role = "reader");

    internal static void Projection<THandler>(IServiceCollection services)
        where THandler : ProjectionHandler
    {
        services
            .AddThrottledFeedReader("all")
            .AddProjection<THandler>("balances", projection => projection.WithJournal("all"));
    }

    internal static void ByHand(ActorSystem system)
    {
        var reader = ThrottledFeed.Get(system, "all").Reader;
        _ = reader.EventsBySlices(0, 255, after: 1042);
    }

    internal static void Entities(IServiceCollection services)
    {
        services
            .AddThrottledFeedReader("all")
            .AddThrottledFeedToEntities<Account>("accounts", "all", entities =>
            {
                entities.Message = each => new AccountEvent(each.PersistenceId, each.SequenceNumber, each.Payload);
                entities.MaxUnacknowledged = 200;
            });
    }

    internal sealed record Account;

    internal sealed record AccountEvent(string Id, long Number, object Event);
}

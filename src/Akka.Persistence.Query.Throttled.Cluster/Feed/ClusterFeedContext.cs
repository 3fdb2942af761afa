using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>What the parts of one feed share on a node.</summary>
internal sealed record ClusterFeedContext
{
    private readonly long _start = TimeProvider.System.GetTimestamp();

    internal required string Name { get; init; }

    internal required ProjectionSource Source { get; init; }

    internal required IJournal Journal { get; init; }

    internal required FeedLimits Limits { get; init; }

    internal required FeedLaneLimits LaneLimits { get; init; }

    internal required ILogger Log { get; init; }

    internal required FeedMetrics Metrics { get; init; }

    internal TimeSpan Now => TimeProvider.System.GetElapsedTime(_start);

    /// <summary>The events that the feed reads.</summary>
    internal EventFilter Filter => new() { Tag = Source.Tag, Slices = new(Source.FirstSlice, Source.LastSlice) };

    /// <summary>Whether the feed has all events of a query.</summary>
    internal bool Has(OrderedQuery query) =>
        query is { IsLive: true, FromEnd: 0 }
        && query.Filter.Tag == Source.Tag
        && Source.FirstSlice <= query.Filter.Slices.First && query.Filter.Slices.Last <= Source.LastSlice;
}

using Throttled.Journal;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Lanes;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>What a runner works with.</summary>
internal sealed record ProjectionParts
{
    internal required IProjectionStore Store { get; init; }

    internal required ProjectionHandler Handler { get; init; }

    internal required ProjectionOptions Options { get; init; }

    /// <summary>The figures; null where nobody wants any.</summary>
    internal ProjectionMetrics? Metrics { get; init; }

    /// <summary>Whether its databases can be used.</summary>
    internal required Outages Outages { get; init; }

    /// <summary>Makes the worker of a version.</summary>
    internal required Func<TargetRow, ILaneCrew> Crew { get; init; }

    /// <summary>Which shard of the journal has which slices; null where it is not sharded.</summary>
    internal ShardMap? Map { get; init; }

    /// <summary>The shards that have slices of the source, in the order of these.</summary>
    internal required IReadOnlyList<JournalShard> Shards { get; init; }

    internal Random Random { get; init; } = Random.Shared;

    /// <summary>How whatever wakes the runner goes on.</summary>
    internal TaskCreationOptions Continuations { get; init; } = TaskCreationOptions.RunContinuationsAsynchronously;

    /// <summary>What this process is called.</summary>
    internal required string Member { get; init; }
}

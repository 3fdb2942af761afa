using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>Into which lanes slices are divided. None has slices of two shards, so that the offset of each is one ordering of one shard.</summary>
/// <param name="Lanes">How many; at least one for each shard.</param>
/// <param name="Map">Which shard of the journal has which slices; null where it is not sharded.</param>
internal sealed record LaneDivision(int Lanes, ShardMap? Map = null)
{
    /// <summary>The slices of each lane, in order.</summary>
    internal IReadOnlyList<SliceRange> Of(SliceRange slices) => LaneLayout.Divide(ShardsOf(slices), Lanes);

    /// <summary>What each shard has of some slices, in their order; shards that have none are left out.</summary>
    internal IReadOnlyList<SliceRange> ShardsOf(SliceRange slices) => Map is null
        ? [slices]
        : [.. Map.ShardsOf(slices).Select(shard => LaneLayout.Overlap(Map[shard], slices)).OrderBy(part => part.First)];

    /// <summary>The number of the shard that has a slice; null where the journal is not sharded.</summary>
    internal int? ShardOf(int slice) => Map?.ShardOf(slice);
}

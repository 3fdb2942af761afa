using Throttled.Journal;

namespace Throttled.Projections.Offsets;

/// <summary>Into which lanes slices are divided. None has slices of two shards, so that the offset of each is one ordering of one shard.</summary>
/// <param name="Lanes">How many; at least one for each shard.</param>
/// <param name="Map">Which shard of the journal has which slices; null where it is not sharded.</param>
internal sealed record LaneLayout(int Lanes, ShardMap? Map = null)
{
    /// <summary>The slices of each lane, in order.</summary>
    internal IReadOnlyList<SliceRange> Of(SliceRange slices) => LaneSlices.Divide(ShardsOf(slices), Lanes);

    /// <summary>What each shard has of some slices, in their order; shards that have none are left out.</summary>
    internal IReadOnlyList<SliceRange> ShardsOf(SliceRange slices) => Map is null
        ? [slices]
        : [.. Map.ShardsOf(slices).Select(shard => LaneSlices.Overlap(Map[shard], slices)).OrderBy(part => part.First)];

    /// <summary>The number of the shard that has a slice; null where the journal is not sharded.</summary>
    internal int? ShardOf(int slice) => Map?.ShardOf(slice);
}

/// <summary>Divides slices among lanes, and offsets with them. Pure.</summary>
internal static class LaneSlices
{
    /// <summary>The slices of each lane: ranges in order that differ by one slice at most.</summary>
    /// <param name="slices">All slices of the projection.</param>
    /// <param name="lanes">From 1 to the number of slices.</param>
    internal static IReadOnlyList<SliceRange> Divide(SliceRange slices, int lanes) =>
        [.. Enumerable.Range(0, lanes).Select(lane => new SliceRange(
            slices.First + (slices.Count * lane / lanes), slices.First + (slices.Count * (lane + 1) / lanes) - 1))];

    /// <summary>The slices of each lane, none of them in two ranges: one lane for each, and each lane more where lanes are the widest.</summary>
    /// <param name="ranges">What each shard has of the projection's slices, in order.</param>
    /// <param name="lanes">Up to the number of slices; where there are more ranges than this, there are as many lanes as these.</param>
    internal static IReadOnlyList<SliceRange> Divide(IReadOnlyList<SliceRange> ranges, int lanes)
    {
        var shares = new int[ranges.Count];
        Array.Fill(shares, 1);
        for (var left = lanes - ranges.Count; left > 0; left--)
            shares[Enumerable.Range(0, ranges.Count).MaxBy(range => (double)ranges[range].Count / shares[range])]++;
        return [.. ranges.SelectMany((range, i) => Divide(range, shares[i]))];
    }

    /// <summary>Cuts offsets where lanes end, and merges those of a lane that are equal: no slice's offset changes.</summary>
    /// <param name="offsets">The rows, in the order of their slices, without holes.</param>
    /// <param name="lanes">The lanes' slices, in order, over the same slices.</param>
    internal static IReadOnlyList<SliceOffset> Cut(IReadOnlyList<SliceOffset> offsets, IReadOnlyList<SliceRange> lanes) =>
        [.. lanes.SelectMany(lane => Merge([.. Within(offsets, lane)]))];

    /// <summary>Makes one row of neighbours that are equal.</summary>
    internal static IReadOnlyList<SliceOffset> Merge(IReadOnlyList<SliceOffset> offsets)
    {
        var merged = new List<SliceOffset>(offsets.Count);
        foreach (var row in offsets)
        {
            if (merged.Count > 0 && merged[^1].Ordering == row.Ordering)
                merged[^1] = merged[^1] with { Slices = new(merged[^1].Slices.First, row.Slices.Last) };
            else
                merged.Add(row);
        }
        return merged;
    }

    /// <summary>The rows of some slices, cut where these end.</summary>
    internal static IEnumerable<SliceOffset> Within(IEnumerable<SliceOffset> offsets, SliceRange range) =>
        from row in offsets
        let slices = Overlap(row.Slices, range)
        where slices.Count > 0
        select row with { Slices = slices };

    /// <summary>What two ranges share; its count is not above 0 where that is nothing.</summary>
    internal static SliceRange Overlap(SliceRange one, SliceRange other) => new(Math.Max(one.First, other.First), Math.Min(one.Last, other.Last));
}

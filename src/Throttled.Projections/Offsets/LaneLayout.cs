namespace Throttled.Projections.Offsets;

/// <summary>
/// How slices are divided into lanes. No lane has slices of two shards, so each lane's offset is one ordering of one shard. A journal that is not
/// sharded is a map of one shard.
/// </summary>
internal sealed record LaneLayout(int Lanes, ShardMap Map)
{
    /// <summary>The slices of each lane, in order.</summary>
    internal IReadOnlyList<SliceRange> Of(SliceRange slices) => LaneSlices.Divide(ShardsOf(slices), Lanes);

    internal IReadOnlyList<SliceRange> ShardsOf(SliceRange slices) =>
        [.. Map.ShardsOf(slices).Select(shard => LaneSlices.Overlap(Map[shard], slices)).OrderBy(part => part.First)];
}

/// <summary>Divides slices among lanes, and cuts and merges their offsets. Pure.</summary>
internal static class LaneSlices
{
    /// <summary>Ranges in order that differ by at most one slice.</summary>
    internal static IReadOnlyList<SliceRange> Divide(SliceRange slices, int lanes) =>
        [.. Enumerable.Range(0, lanes).Select(lane => new SliceRange(
            slices.First + (slices.Count * lane / lanes), slices.First + (slices.Count * (lane + 1) / lanes) - 1))];

    /// <summary>Each range gets at least one lane; each further lane goes to the range whose lanes are widest.</summary>
    internal static IReadOnlyList<SliceRange> Divide(IReadOnlyList<SliceRange> ranges, int lanes)
    {
        var shares = new int[ranges.Count];
        Array.Fill(shares, 1);
        for (var left = lanes - ranges.Count; left > 0; left--)
            shares[Enumerable.Range(0, ranges.Count).MaxBy(range => (double)ranges[range].Count / shares[range])]++;
        return [.. ranges.SelectMany((range, i) => Divide(range, shares[i]))];
    }

    /// <summary>Cuts offsets at the ends of lanes, and merges equal rows of a lane. No slice's offset changes.</summary>
    internal static IReadOnlyList<SliceOffset> Cut(IReadOnlyList<SliceOffset> offsets, IReadOnlyList<SliceRange> lanes) =>
        [.. lanes.SelectMany(lane => Merge([.. Within(offsets, lane)]))];

    /// <summary>Merges neighbours that have the same ordering.</summary>
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

    internal static IEnumerable<SliceOffset> Within(IEnumerable<SliceOffset> offsets, SliceRange range) =>
        from row in offsets
        let slices = Overlap(row.Slices, range)
        where slices.Count > 0
        select row with { Slices = slices };

    /// <summary>The count is 0 or less if the ranges have no common slices.</summary>
    internal static SliceRange Overlap(SliceRange one, SliceRange other) => new(Math.Max(one.First, other.First), Math.Min(one.Last, other.Last));
}

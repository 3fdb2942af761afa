using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>Divides slices among lanes, and offsets with them. Pure.</summary>
internal static class LaneLayout
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
    /// <param name="positions">The rows, in the order of their slices, without holes.</param>
    /// <param name="lanes">The lanes' slices, in order, over the same slices.</param>
    internal static IReadOnlyList<StoredPosition> Cut(IReadOnlyList<StoredPosition> positions, IReadOnlyList<SliceRange> lanes) =>
        [.. lanes.SelectMany(lane => Merge([.. Within(positions, lane)]))];

    /// <summary>Makes one row of neighbours that are equal.</summary>
    internal static IReadOnlyList<StoredPosition> Merge(IReadOnlyList<StoredPosition> positions)
    {
        var merged = new List<StoredPosition>(positions.Count);
        foreach (var row in positions)
        {
            if (merged.Count > 0 && merged[^1].Ordering == row.Ordering)
                merged[^1] = merged[^1] with { Slices = new(merged[^1].Slices.First, row.Slices.Last) };
            else
                merged.Add(row);
        }
        return merged;
    }

    /// <summary>The rows of some slices, cut where these end.</summary>
    internal static IEnumerable<StoredPosition> Within(IEnumerable<StoredPosition> positions, SliceRange range) =>
        from row in positions
        let slices = Overlap(row.Slices, range)
        where slices.Count > 0
        select row with { Slices = slices };

    /// <summary>What two ranges share; its count is not above 0 where that is nothing.</summary>
    internal static SliceRange Overlap(SliceRange one, SliceRange other) => new(Math.Max(one.First, other.First), Math.Min(one.Last, other.Last));
}

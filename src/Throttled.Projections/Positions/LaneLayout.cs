using Throttled.Journal.Sql;

namespace Throttled.Projections.Positions;

/// <summary>Divides slices among lanes, and positions with them. Pure.</summary>
internal static class LaneLayout
{
    /// <summary>The slices of each lane: ranges in order that differ by one slice at most.</summary>
    /// <param name="slices">All slices of the projection.</param>
    /// <param name="lanes">From 1 to the number of slices.</param>
    internal static IReadOnlyList<SliceRange> Divide(SliceRange slices, int lanes) =>
        [.. Enumerable.Range(0, lanes).Select(lane => new SliceRange(
            slices.First + (slices.Count * lane / lanes), slices.First + (slices.Count * (lane + 1) / lanes) - 1))];

    /// <summary>Cuts positions where lanes end, and merges those of a lane that are equal: no slice's position changes.</summary>
    /// <param name="positions">The rows, in the order of their slices, without holes.</param>
    /// <param name="lanes">The lanes' slices, as <see cref="Divide"/> gives them, over the same slices.</param>
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

    private static IEnumerable<StoredPosition> Within(IEnumerable<StoredPosition> positions, SliceRange lane) =>
        from row in positions
        let slices = new SliceRange(Math.Max(row.Slices.First, lane.First), Math.Min(row.Slices.Last, lane.Last))
        where slices.Count > 0
        select row with { Slices = slices };
}

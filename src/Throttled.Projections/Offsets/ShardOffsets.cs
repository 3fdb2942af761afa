using System.Globalization;

namespace Throttled.Projections.Offsets;

internal static class ShardOffsets
{
    /// <summary>The first new shard that has slices of several old ones whose offsets differ: their orderings cannot be compared.</summary>
    internal static SliceRange? Unmergeable(IReadOnlyList<SliceOffset> offsets, ShardMap from, ShardMap to)
    {
        foreach (var shard in Enumerable.Range(0, to.Count).Select(shard => to[shard]))
        {
            SliceOffset[] rows = [.. LaneSlices.Within(offsets, shard)];
            if (rows.Select(row => from.ShardOf(row.Slices.First)).Distinct().Count() > 1 && rows.Select(row => row.Ordering).Distinct().Count() > 1)
                return shard;
        }
        return null;
    }

    internal static long Lowest(IEnumerable<SliceOffset> offsets, SliceRange slices) =>
        LaneSlices.Within(offsets, slices).Select(row => row.Ordering).DefaultIfEmpty().Min();

    /// <summary>The offset as text: an ordering, or one for each of several shards in the format of <see cref="ShardedPosition.Parse"/>.</summary>
    internal static string Text(IReadOnlyList<SliceOffset> offsets, ShardMap map) => map.Count == 1
        ? Lowest(offsets, SliceRange.All).ToString(CultureInfo.InvariantCulture)
        : string.Join(',', Enumerable.Range(0, map.Count).Select(shard => FormattableString.Invariant($"{map[shard]}:{Lowest(offsets, map[shard])}")));
}

/// <summary>The offsets that a reset sets, for each shard that the version reads.</summary>
internal sealed record ResetPoint(IReadOnlyList<SliceOffset> Rows, ShardMap Map)
{
    internal bool IsStart => Rows.All(row => row.Ordering == 0);

    public override string ToString() => ShardOffsets.Text(Rows, Map);
}

using System.Globalization;
using Throttled.Journal;

namespace Throttled.Projections.Offsets;

/// <summary>Compares and merges the offsets of a journal's shards. Pure.</summary>
internal static class ShardOffsets
{
    /// <summary>
    /// Finds a new shard to which the stored offsets cannot be carried over. It has slices of several old shards, whose orderings cannot be compared,
    /// and their offsets differ.
    /// </summary>
    /// <param name="offsets">The rows, none of them over two shards.</param>
    /// <param name="from">The old shards.</param>
    /// <param name="to">The new shards.</param>
    /// <returns>The first such shard; null if all offsets can be carried over.</returns>
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

    /// <summary>The lowest offset in some slices; 0 if there is none.</summary>
    internal static long Lowest(IEnumerable<SliceOffset> offsets, SliceRange slices) =>
        LaneSlices.Within(offsets, slices).Select(row => row.Ordering).DefaultIfEmpty().Min();

    /// <summary>The offset as text: an ordering, or one for each of several shards in the format of <see cref="ShardedPosition.Parse"/>.</summary>
    internal static string Text(IReadOnlyList<SliceOffset> offsets, ShardMap map) => map.Count == 1
        ? Lowest(offsets, SliceRange.All).ToString(CultureInfo.InvariantCulture)
        : string.Join(',', Enumerable.Range(0, map.Count).Select(shard => FormattableString.Invariant($"{map[shard]}:{Lowest(offsets, map[shard])}")));
}

/// <summary>The offsets that a reset sets.</summary>
/// <param name="Rows">A row for each shard that the version reads, over all its slices; 0 for the start.</param>
/// <param name="Map">The shards that the orderings refer to.</param>
internal sealed record ResetPoint(IReadOnlyList<SliceOffset> Rows, ShardMap Map)
{
    internal bool IsStart => Rows.All(row => row.Ordering == 0);

    public override string ToString() => ShardOffsets.Text(Rows, Map);
}

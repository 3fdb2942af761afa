using System.Globalization;
using Throttled.Journal;

namespace Throttled.Projections.Offsets;

/// <summary>What offsets say of the shards of a journal. Pure.</summary>
internal static class ShardOffsets
{
    /// <summary>
    /// The first of the shards to come to which offsets cannot be carried: it has slices of several shards, whose orderings cannot be compared, and
    /// their offsets are not the same.
    /// </summary>
    /// <param name="offsets">The rows, none of them over two shards.</param>
    /// <param name="from">The shards whose orderings they are; null where the journal was not sharded.</param>
    /// <param name="to">The shards to come; null where it is not sharded any more.</param>
    /// <returns>Null where all can be carried.</returns>
    internal static SliceRange? Unmergeable(IReadOnlyList<SliceOffset> offsets, ShardMap? from, ShardMap? to)
    {
        if (from is null)
            return null;
        foreach (var shard in to is null ? [SliceRange.All] : Enumerable.Range(0, to.Count).Select(shard => to[shard]))
        {
            SliceOffset[] rows = [.. LaneSlices.Within(offsets, shard)];
            if (rows.Select(row => from.ShardOf(row.Slices.First)).Distinct().Count() > 1 && rows.Select(row => row.Ordering).Distinct().Count() > 1)
                return shard;
        }
        return null;
    }

    /// <summary>The lowest offset in some slices; 0 where there is none.</summary>
    internal static long Lowest(IEnumerable<SliceOffset> offsets, SliceRange slices) =>
        LaneSlices.Within(offsets, slices).Select(row => row.Ordering).DefaultIfEmpty().Min();

    /// <summary>How far offsets have come: an ordering, or that of each shard as <see cref="ShardedPosition.Parse"/> reads it.</summary>
    /// <param name="offsets">The rows.</param>
    /// <param name="map">The shards; null where the journal is not sharded.</param>
    internal static string Text(IReadOnlyList<SliceOffset> offsets, ShardMap? map) => map is null
        ? Lowest(offsets, SliceRange.All).ToString(CultureInfo.InvariantCulture)
        : string.Join(',', Enumerable.Range(0, map.Count).Select(shard => FormattableString.Invariant($"{map[shard]}:{Lowest(offsets, map[shard])}")));
}

/// <summary>Where a version goes on.</summary>
/// <param name="Rows">A row for each shard that it reads, over all its slices; 0 for the start.</param>
/// <param name="Map">The shards whose orderings they are; null where the journal is not sharded.</param>
internal sealed record ResetPoint(IReadOnlyList<SliceOffset> Rows, ShardMap? Map = null)
{
    internal bool IsStart => Rows.All(row => row.Ordering == 0);

    public override string ToString() => ShardOffsets.Text(Rows, Map);
}

using System.Globalization;
using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>What offsets say of the shards of a journal. Pure.</summary>
internal static class ShardPositions
{
    /// <summary>
    /// The first of the shards to come to which offsets cannot be carried: it has slices of several shards, whose orderings cannot be compared, and
    /// their offsets are not the same.
    /// </summary>
    /// <param name="positions">The rows, none of them over two shards.</param>
    /// <param name="from">The shards whose orderings they are; null where the journal was not sharded.</param>
    /// <param name="to">The shards to come; null where it is not sharded any more.</param>
    /// <returns>Null where all can be carried.</returns>
    internal static SliceRange? Unmergeable(IReadOnlyList<StoredPosition> positions, ShardMap? from, ShardMap? to)
    {
        if (from is null)
            return null;
        foreach (var shard in to is null ? [SliceRange.All] : Enumerable.Range(0, to.Count).Select(shard => to[shard]))
        {
            StoredPosition[] rows = [.. LaneLayout.Within(positions, shard)];
            if (rows.Select(row => from.ShardOf(row.Slices.First)).Distinct().Count() > 1 && rows.Select(row => row.Ordering).Distinct().Count() > 1)
                return shard;
        }
        return null;
    }

    /// <summary>The lowest offset in some slices; 0 where there is none.</summary>
    internal static long Lowest(IEnumerable<StoredPosition> positions, SliceRange slices) =>
        LaneLayout.Within(positions, slices).Select(row => row.Ordering).DefaultIfEmpty().Min();

    /// <summary>How far offsets have come: an ordering, or that of each shard as <see cref="ShardedPosition.Parse"/> reads it.</summary>
    /// <param name="positions">The rows.</param>
    /// <param name="map">The shards; null where the journal is not sharded.</param>
    internal static string Text(IReadOnlyList<StoredPosition> positions, ShardMap? map) => map is null
        ? Lowest(positions, SliceRange.All).ToString(CultureInfo.InvariantCulture)
        : string.Join(',', Enumerable.Range(0, map.Count).Select(shard => FormattableString.Invariant($"{map[shard]}:{Lowest(positions, map[shard])}")));
}

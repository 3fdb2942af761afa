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

/// <summary>A place in the journal: an ordering for each shard that the version reads.</summary>
internal sealed record JournalPoint(IReadOnlyList<SliceOffset> Rows, ShardMap Map)
{
    internal static JournalPoint FirstEvent { get; } = new([new(SliceRange.All, 0, 0)], ShardMap.Even(1));

    internal bool IsFirstEvent => Rows.All(row => row.Ordering == 0);

    /// <summary>The place that <see cref="ToString"/> has written, perhaps with fewer shards: when a journal is divided, its events keep their orderings.</summary>
    /// <exception cref="ArgumentException">A shard of the map has slices of several shards of the text.</exception>
    internal static JournalPoint Parse(string text, ShardMap map)
    {
        var offset = long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var ordering)
            ? ShardedPosition.At(map, ordering)
            : ShardedPosition.Parse(text).On(map);
        return new([.. Enumerable.Range(0, map.Count).Select(shard => new SliceOffset(map[shard], offset[shard], 0))], map);
    }

    /// <summary>In each shard, the lower of two orderings.</summary>
    internal JournalPoint OrBefore(JournalPoint other) =>
        this with { Rows = [.. Rows.Select(row => row with { Ordering = Math.Min(row.Ordering, ShardOffsets.Lowest(other.Rows, row.Slices)) })] };

    /// <summary>An ordering, or one for each of several shards in the format of <see cref="ShardedPosition.Parse"/>.</summary>
    public override string ToString() => ShardOffsets.Text(Rows, Map);
}

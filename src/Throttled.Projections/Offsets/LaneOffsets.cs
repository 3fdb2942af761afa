namespace Throttled.Projections.Offsets;

/// <summary>The offsets of a lane: usually one. After a new layout there may be several, until the lane has caught up. Pure.</summary>
internal sealed class LaneOffsets(IReadOnlyList<SliceOffset> rows)
{
    private IReadOnlyList<SliceOffset> _rows = rows;

    internal SliceRange Slices => new(_rows[0].Slices.First, _rows[^1].Slices.Last);

    internal bool IsUniform => _rows.Count == 1;

    internal long Lowest => _rows.Min(row => row.Ordering);

    internal bool IsNew(int slice, long ordering)
    {
        foreach (var row in _rows)
        {
            if (row.Slices.Contains(slice))
                return ordering > row.Ordering;
        }
        return false;
    }

    /// <summary>A move that changes nothing, to check that the lane still owns its rows.</summary>
    internal OffsetMove Stay() => new(_rows, _rows, 0);

    /// <summary>The move after which all the lane's events up to an ordering are handled.</summary>
    internal OffsetMove MoveTo(long ordering, long timestamp, int events)
    {
        SliceOffset[] moved = [.. _rows.Select(row => row.Ordering < ordering ? row with { Ordering = ordering, Timestamp = timestamp } : row)];
        return new(_rows, LaneSlices.Merge(moved), events);
    }

    internal void Apply(OffsetMove move) => _rows = move.To;
}

/// <summary>A change of a lane's offsets. The rows in <c>From</c> must be there, unchanged; <c>To</c> replaces them.</summary>
internal sealed record OffsetMove(IReadOnlyList<SliceOffset> From, IReadOnlyList<SliceOffset> To, int Events);

/// <summary>The offset of some slices: all events up to the ordering are handled or stored as dead letters. Ticks are 0 if they are not known.</summary>
internal readonly record struct SliceOffset(SliceRange Slices, long Ordering, long Timestamp);

using Throttled.Journal;

namespace Throttled.Projections.Offsets;

/// <summary>
/// The offsets of a lane: usually one. After a new layout there may be several, until the lane has caught up with what other lanes had handled. Pure;
/// moves are applied after their commit.
/// </summary>
internal sealed class LaneOffsets
{
    private IReadOnlyList<SliceOffset> _rows;

    /// <param name="rows">The rows of the lane's slices, in order and without gaps; at least one.</param>
    internal LaneOffsets(IReadOnlyList<SliceOffset> rows) => _rows = rows;

    internal SliceRange Slices => new(_rows[0].Slices.First, _rows[^1].Slices.Last);

    /// <summary>Whether all slices have the same offset.</summary>
    internal bool IsUniform => _rows.Count == 1;

    /// <summary>All events at or below this ordering are handled or stored as dead letters.</summary>
    internal long Lowest => _rows.Min(row => row.Ordering);

    /// <summary>Whether an event is not handled yet.</summary>
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

    /// <param name="ordering">All the lane's events at or below it are handled with this move.</param>
    /// <param name="timestamp">When the event there was persisted, in UTC ticks.</param>
    /// <param name="events">The number of events.</param>
    internal OffsetMove MoveTo(long ordering, long timestamp, int events)
    {
        SliceOffset[] moved = [.. _rows.Select(row => row.Ordering < ordering ? row with { Ordering = ordering, Timestamp = timestamp } : row)];
        return new(_rows, LaneSlices.Merge(moved), events);
    }

    internal void Apply(OffsetMove move) => _rows = move.To;
}

/// <summary>A change of a lane's offsets. Both lists cover the same slices.</summary>
/// <param name="From">The rows that must be there, unchanged; otherwise another process has moved them.</param>
/// <param name="To">The rows that replace them; equal neighbours are merged.</param>
/// <param name="Events">The number of events that the move handles.</param>
internal sealed record OffsetMove(IReadOnlyList<SliceOffset> From, IReadOnlyList<SliceOffset> To, int Events);

/// <summary>The offset of some slices: one row of the offset table.</summary>
/// <param name="Slices">The slices.</param>
/// <param name="Ordering">All events at or below it are handled or stored as dead letters; 0 if none is.</param>
/// <param name="Timestamp">When the event there was persisted, in UTC ticks; 0 if that is not known.</param>
internal readonly record struct SliceOffset(SliceRange Slices, long Ordering, long Timestamp);

using Throttled.Journal;

namespace Throttled.Projections.Offsets;

/// <summary>
/// How far a lane has come: one offset, or several while what other lanes had before it has not caught up yet. Pure; moves are applied once
/// they are committed.
/// </summary>
internal sealed class LaneOffsets
{
    private IReadOnlyList<SliceOffset> _rows;

    /// <param name="rows">The rows of the lane's slices, in their order, without holes; at least one.</param>
    internal LaneOffsets(IReadOnlyList<SliceOffset> rows) => _rows = rows;

    /// <summary>The lane's slices.</summary>
    internal SliceRange Slices => new(_rows[0].Slices.First, _rows[^1].Slices.Last);

    /// <summary>Whether there is one offset for all slices.</summary>
    internal bool IsUniform => _rows.Count == 1;

    /// <summary>All its events at or below this are handled or stored as dead letters.</summary>
    internal long Lowest => _rows.Min(row => row.Ordering);

    /// <summary>Whether an event has yet to be handled.</summary>
    internal bool IsNew(int slice, long ordering)
    {
        foreach (var row in _rows)
        {
            if (row.Slices.Contains(slice))
                return ordering > row.Ordering;
        }
        return false;
    }

    /// <summary>Nothing moves; for who only needs to be sure that the lane is still his.</summary>
    internal OffsetMove Stay() => new(_rows, _rows, 0);

    /// <param name="ordering">All the lane's events at or below it are handled with this.</param>
    /// <param name="timestamp">When the event there was persisted, in UTC ticks.</param>
    /// <param name="events">How many events.</param>
    internal OffsetMove MoveTo(long ordering, long timestamp, int events)
    {
        SliceOffset[] moved = [.. _rows.Select(row => row.Ordering < ordering ? row with { Ordering = ordering, Timestamp = timestamp } : row)];
        return new(_rows, LaneSlices.Merge(moved), events);
    }

    /// <summary>A move was committed.</summary>
    internal void Apply(OffsetMove move) => _rows = move.To;
}

/// <summary>A lane's offsets as it knows them, and as they are to be. Both cover the same slices.</summary>
/// <param name="From">The rows that must be there, unchanged; otherwise somebody else has moved them.</param>
/// <param name="To">The rows that take their place; one where all are equal.</param>
/// <param name="Events">How many events are handled by it.</param>
internal sealed record OffsetMove(IReadOnlyList<SliceOffset> From, IReadOnlyList<SliceOffset> To, int Events)
{
    /// <summary>Nothing is moved; that they are where they were is still made sure of.</summary>
    internal bool IsCheckOnly => From.SequenceEqual(To);
}

/// <summary>How far the events of some slices have been handled: one row of the offset table.</summary>
/// <param name="Slices">The slices.</param>
/// <param name="Ordering">All their events at or below it are handled or stored as dead letters; 0 where none is.</param>
/// <param name="Timestamp">When the event there was persisted, in UTC ticks; 0 where that is not known.</param>
internal readonly record struct SliceOffset(SliceRange Slices, long Ordering, long Timestamp);

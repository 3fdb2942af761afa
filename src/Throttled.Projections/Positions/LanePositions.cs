using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>
/// How far a lane has come: one offset, or several while what other lanes had before it has not caught up yet. Pure; moves are applied once
/// they are committed.
/// </summary>
internal sealed class LanePositions
{
    private IReadOnlyList<StoredPosition> _rows;

    /// <param name="rows">The rows of the lane's slices, in their order, without holes; at least one.</param>
    internal LanePositions(IReadOnlyList<StoredPosition> rows) => _rows = rows;

    /// <summary>The lane's slices.</summary>
    internal SliceRange Slices => new(_rows[0].Slices.First, _rows[^1].Slices.Last);

    /// <summary>Whether there is one offset for all slices.</summary>
    internal bool IsLevel => _rows.Count == 1;

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
    internal PositionMove Stay() => new(_rows, _rows, 0);

    /// <param name="ordering">All the lane's events at or below it are handled with this.</param>
    /// <param name="timestamp">When the event there was persisted, in UTC ticks.</param>
    /// <param name="events">How many events.</param>
    internal PositionMove MoveTo(long ordering, long timestamp, int events)
    {
        StoredPosition[] moved = [.. _rows.Select(row => row.Ordering < ordering ? row with { Ordering = ordering, Timestamp = timestamp } : row)];
        return new(_rows, LaneLayout.Merge(moved), events);
    }

    /// <summary>A move was committed.</summary>
    internal void Apply(PositionMove move) => _rows = move.To;
}

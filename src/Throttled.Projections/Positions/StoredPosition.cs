using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>How far the events of some slices have been handled: one row of the offset table.</summary>
/// <param name="Slices">The slices.</param>
/// <param name="Ordering">All their events at or below it are handled or stored as dead letters; 0 where none is.</param>
/// <param name="Timestamp">When the event there was persisted, in UTC ticks; 0 where that is not known.</param>
internal readonly record struct StoredPosition(SliceRange Slices, long Ordering, long Timestamp);

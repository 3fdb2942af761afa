using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>What a read of the journal brings a lane at once.</summary>
/// <param name="Events">The lane's events, in order; at least one.</param>
/// <param name="Through">No other event of the lane has an ordering up to here.</param>
/// <param name="Bytes">How much room the events take.</param>
internal sealed record LaneChunk(IReadOnlyList<JournalEvent> Events, ReadPlace Through, long Bytes);

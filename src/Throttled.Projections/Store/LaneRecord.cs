using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>A lane as the database has it.</summary>
/// <param name="Epoch">Which layout of the lanes it is of; a reset and another number of lanes begin a new one.</param>
/// <param name="Positions">Its rows in the order of the slices.</param>
/// <param name="ParkedIds">The ids that have dead letters.</param>
/// <param name="DeadLetters">How many dead letters there are.</param>
internal sealed record LaneRecord(
    long Epoch, IReadOnlyList<StoredPosition> Positions, IReadOnlyCollection<string> ParkedIds, int DeadLetters);

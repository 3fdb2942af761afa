namespace Throttled.Projections.Positions;

/// <summary>A lane's offsets as it knows them, and as they are to be. Both cover the same slices.</summary>
/// <param name="From">The rows that must be there, unchanged; otherwise somebody else has moved them.</param>
/// <param name="To">The rows that take their place; one where all are equal.</param>
/// <param name="Events">How many events are handled by it.</param>
internal sealed record PositionMove(IReadOnlyList<StoredPosition> From, IReadOnlyList<StoredPosition> To, int Events)
{
    /// <summary>Nothing is moved; that they are where they were is still made sure of.</summary>
    internal bool IsCheckOnly => From.SequenceEqual(To);
}

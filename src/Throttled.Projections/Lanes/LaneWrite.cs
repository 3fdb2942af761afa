using Throttled.Projections.Failures;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>One transaction of a lane.</summary>
/// <param name="Move">Where it brings the offsets.</param>
internal sealed record LaneWrite(PositionMove Move)
{
    /// <summary>What the handler gets.</summary>
    internal IReadOnlyList<ProjectionEvent> Events { get; init; } = [];

    /// <summary>What becomes a dead letter.</summary>
    internal IReadOnlyList<DeadLetterRow> Parked { get; init; } = [];

    /// <summary>Dead letters that are removed; null for none.</summary>
    internal Unparking? Unparked { get; init; }

    /// <summary>A command that ends with it; null for none.</summary>
    internal CommandEnd? Command { get; init; }
}

/// <summary>Dead letters of one id that are removed.</summary>
internal sealed record Unparking(string PersistenceId, IReadOnlyList<long> Orderings);

/// <summary>How a command ends.</summary>
internal sealed record CommandEnd(CommandRow Command, CommandState State, string Result);

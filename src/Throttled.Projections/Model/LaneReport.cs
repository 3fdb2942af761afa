using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>What the owner of a lane tells of it.</summary>
/// <param name="Lane">The lane.</param>
/// <param name="State">How it does.</param>
/// <param name="Error">Why it does not run. Where it runs, that a batch takes long; null where none does.</param>
/// <param name="EventsPerSecond">Handled of late.</param>
internal sealed record LaneReport(int Lane, LaneState State, string? Error, double EventsPerSecond)
{
    /// <summary>Up to which ordering its events were handled, stored or not where there was none of late; 0 where it does not know yet.</summary>
    internal long Offset { get; init; }

    /// <summary>Its slices.</summary>
    internal SliceRange Slices { get; init; }

    /// <summary>Dead letters that it keeps.</summary>
    internal int DeadLetters { get; init; }

    /// <summary>Bytes of events that it has and has not handled.</summary>
    internal long Buffered { get; init; }
}

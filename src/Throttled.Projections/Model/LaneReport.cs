using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>What the owner of a lane reports. <c>Error</c> says why the lane does not run, or that a batch takes long.</summary>
internal sealed record LaneReport(int Lane, LaneState State, string? Error, double EventsPerSecond)
{
    /// <summary>Up to here its events are handled. It may be above the stored offset. 0 if it is not known yet.</summary>
    internal long Offset { get; init; }

    internal SliceRange Slices { get; init; }

    internal int DeadLetters { get; init; }

    /// <summary>Bytes of events that the lane has received and not handled.</summary>
    internal long Buffered { get; init; }
}

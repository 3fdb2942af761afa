namespace Throttled.Journal.Diagnostics;

/// <summary>How a journal is doing, as one check found it.</summary>
internal sealed record JournalHealth
{
    /// <summary>Why the journal cannot be read; null where it can.</summary>
    internal string? UnreadableReason { get; init; }

    /// <summary>Whether waiting does not cure that: queries fail.</summary>
    internal bool IsPermanent { get; init; }

    /// <summary>How long the high-water mark has been stalled by transactions that may still commit below what was seen; null where it moves.</summary>
    internal TimeSpan? HighWaterMarkStalledFor { get; init; }

    /// <summary>How long the query has waited that has waited longest for its turn; null where none waits.</summary>
    internal TimeSpan? LongestWait { get; init; }

    /// <summary>How many permits there are: as configured, or what the database can take.</summary>
    internal int Permits { get; init; }

    /// <summary>Statements that hold a permit.</summary>
    internal int PermitsHeld { get; init; }
}

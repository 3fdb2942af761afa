namespace Throttled.Journal.Diagnostics;

internal sealed record JournalHealth
{
    /// <summary>Why the journal cannot be read; null if it can.</summary>
    internal string? UnreadableReason { get; init; }

    /// <summary>Whether the error is permanent, so that queries fail.</summary>
    internal bool IsPermanent { get; init; }

    /// <summary>How long open transactions have stalled the high-water mark; null if it moves.</summary>
    internal TimeSpan? HighWaterMarkStalledFor { get; init; }

    /// <summary>The longest time that a queued query has waited for a permit; null if none waits.</summary>
    internal TimeSpan? LongestWait { get; init; }

    /// <summary>The number of permits: as configured, or fewer if the database has a lower limit.</summary>
    internal int Permits { get; init; }

    internal int PermitsHeld { get; init; }
}

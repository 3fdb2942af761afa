namespace Throttled.Projections;

/// <summary>What becomes of an event that still fails after <see cref="ProjectionOptions.MaxAttempts"/>.</summary>
public enum FailurePolicy
{
    /// <summary>Its lane stops before it, and says so in status, log and health check; the other lanes go on. Resuming tries it again.</summary>
    Stop = 0,

    /// <summary>It is passed over and logged.</summary>
    Skip = 1,

    /// <summary>
    /// It is kept as a dead letter, and later events of the same persistence id queue behind it in order, until it is retried or discarded.
    /// </summary>
    DeadLetter = 2,
}

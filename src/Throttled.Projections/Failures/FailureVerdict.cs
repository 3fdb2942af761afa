namespace Throttled.Projections.Failures;

/// <summary>What follows from a failure of the handler.</summary>
internal enum FailureVerdict
{
    /// <summary>Smaller pieces are tried, at once.</summary>
    Split,

    /// <summary>The event is tried again, after a pause.</summary>
    Again,

    /// <summary>The event is skipped or stored as a dead letter.</summary>
    GivenUp,

    /// <summary>The lane stops before the event.</summary>
    Stop,
}

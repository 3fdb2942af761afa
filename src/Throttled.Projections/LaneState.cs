namespace Throttled.Projections;

/// <summary>How a lane does.</summary>
// Stored by name.
public enum LaneState
{
    /// <summary>Nobody runs it, or it is about to run.</summary>
    Idle = 0,

    /// <summary>It handles events.</summary>
    Running = 1,

    /// <summary>Something fails, and is tried again.</summary>
    Retrying = 2,

    /// <summary>It stopped at an event, or at something that waiting does not cure. Resuming, or another process, tries it again.</summary>
    Failed = 3,
}

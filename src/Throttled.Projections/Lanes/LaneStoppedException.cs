namespace Throttled.Projections.Lanes;

/// <summary>The lane goes no further: the message says where it stands and why.</summary>
internal sealed class LaneStoppedException(string message, Exception cause) : Exception(message, cause);

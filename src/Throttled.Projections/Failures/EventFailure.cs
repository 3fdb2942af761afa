namespace Throttled.Projections.Failures;

/// <summary>The handler failed with a range of a batch.</summary>
/// <param name="Cause">With what.</param>
/// <param name="Ordering">At which event; null where that is not known.</param>
/// <param name="IsFinal">Whether trying again would be the same.</param>
internal sealed record EventFailure(Exception Cause, long? Ordering, bool IsFinal);

namespace Throttled.Journal.Ordering;

/// <summary>How long a missing ordering is waited for.</summary>
/// <param name="Timeout">The time, where nobody can tell whether it may still be committed.</param>
/// <param name="GivesUp">Whether the time also ends the wait for one that may.</param>
internal readonly record struct GapPatience(TimeSpan Timeout, bool GivesUp = false);

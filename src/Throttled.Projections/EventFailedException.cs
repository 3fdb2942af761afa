namespace Throttled.Projections;

/// <summary>Names the event that a handler failed at, so that the others of its batch need not be tried one after the other.</summary>
/// <param name="ordering">The event's <see cref="ProjectionEvent.Ordering"/>.</param>
/// <param name="cause">What it failed with; this is what is reported.</param>
public sealed class EventFailedException(long ordering, Exception cause)
    : Exception(cause?.Message, cause)
{
    /// <summary>The event's <see cref="ProjectionEvent.Ordering"/>.</summary>
    public long Ordering { get; } = ordering;
}

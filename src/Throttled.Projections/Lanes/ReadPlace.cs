using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>A place in the journal.</summary>
/// <param name="Ordering">The ordering of the event there.</param>
/// <param name="Timestamp">When it was persisted, in UTC ticks; 0 where that is not known.</param>
internal readonly record struct ReadPlace(long Ordering, long Timestamp)
{
    internal static ReadPlace Of(JournalEvent stored) => new(stored.Ordering, stored.Timestamp);
}

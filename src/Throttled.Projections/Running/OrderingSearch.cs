using Throttled.Journal;

namespace Throttled.Projections.Running;

/// <summary>
/// Finds where in the journal a time was, by halving. It takes for granted that timestamps rise with the orderings; where clocks of several
/// writers differ, it ends at one of the places where older events meet newer ones. Events without a timestamp count as old.
/// </summary>
/// <param name="firstBehind">The first event behind an ordering; null where there is none.</param>
internal sealed class OrderingSearch(Func<long, CancellationToken, Task<JournalEvent?>> firstBehind)
{
    /// <param name="ticks">The time, in UTC ticks.</param>
    /// <param name="end">The highest ordering to look at.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>The ordering of the last event that is older than the time; 0 where none is.</returns>
    internal async Task<long> LastBeforeAsync(long ticks, long end, CancellationToken cancellation)
    {
        var (older, bound) = (0L, end);
        while (older < bound)
        {
            var middle = older + ((bound - older) / 2);
            if (await firstBehind(middle, cancellation).ConfigureAwait(false) is { } found && found.Ordering <= bound && found.Timestamp < ticks)
                older = found.Ordering;
            else
                bound = middle;
        }
        return older;
    }
}

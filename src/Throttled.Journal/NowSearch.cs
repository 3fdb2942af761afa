using Throttled.Journal.Database;
using Throttled.Journal.Ordering;

namespace Throttled.Journal;

/// <summary>
/// Finds the ordering after which a reader gets every event that commits from now on. A transaction that is open now may commit an ordering below the
/// journal end. So the search ends at the journal end only if these transactions have ended, and begins below the events that they committed.
/// </summary>
internal sealed class NowSearch(Func<CancellationToken, Task<RecentOrderings>> read, JournalOptions options)
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    // Most transactions are shorter. One that is longer is not waited for: the reader begins below the lowest ordering that it may have.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    internal async Task<long> FindAsync(CancellationToken cancellation)
    {
        var first = await read(cancellation).ConfigureAwait(false);
        if (first.Missing.Count == 0 || first.OpenTransactions is { Count: 0 })
            return first.End;
        var open = first.OpenTransactions is { } known ? new OpenTransactions(known) : null;
        var begun = options.TimeProvider.GetTimestamp();
        var lowest = first.End + 1;
        for (var hasEnded = false; ;)
        {
            await Task.Delay(Interval, options.TimeProvider, cancellation).ConfigureAwait(false);
            var now = await read(cancellation).ConfigureAwait(false);
            lowest = Math.Min(lowest, first.Missing.Where(ordering => !now.IsMissing(ordering)).DefaultIfEmpty(lowest).Min());
            // This read began after the transactions had ended. So what is missing now is never committed.
            if (hasEnded)
                return lowest - 1;
            var waited = options.TimeProvider.GetElapsedTime(begun);
            hasEnded = open is null ? waited >= options.GapTimeout : now.OpenTransactions is { } still && open.EndedBy(still);
            if (open is not null && !hasEnded && waited >= LongestWait)
                return Math.Min(lowest, first.Missing.Min()) - 1;
        }
    }
}

/// <summary>The newest orderings of a journal.</summary>
/// <param name="End">The highest ordering; 0 in an empty journal.</param>
/// <param name="Above">Orderings at or below this one were not read.</param>
/// <param name="Missing">The orderings without a row between the two.</param>
/// <param name="OpenTransactions">As in <see cref="Rows.TailStart"/>, read after the orderings.</param>
internal sealed record RecentOrderings(long End, long Above, IReadOnlySet<long> Missing, IReadOnlySet<string>? OpenTransactions)
{
    // A transaction that got its ordering this many orderings ago is assumed to have ended.
    private const int Most = 10_000;

    internal static async Task<RecentOrderings> ReadAsync(IJournalDatabase database, CancellationToken cancellation)
    {
        var end = await JournalStatus.EndAsync(database, cancellation).ConfigureAwait(false);
        var above = Math.Max(0, end - Most);
        var keys = await database.ReadKeysAsync(new(above, [], Most + 1) { WithOpenTransactions = true }, cancellation).ConfigureAwait(false);
        var there = keys.Above.Select(key => key.Ordering).ToHashSet();
        var missing = new HashSet<long>();
        for (var ordering = above + 1; ordering < end; ordering++)
        {
            if (!there.Contains(ordering))
                missing.Add(ordering);
        }
        return new(end, above, missing, database.HasTriedEvidence ? keys.OpenTransactions : null);
    }

    internal bool IsMissing(long ordering) => ordering > Above && (ordering > End || Missing.Contains(ordering));
}

using Throttled.Journal.Rows;

namespace Throttled.Tool.Gaps;

/// <summary>The end of a journal: its high-water mark, gaps and open transactions. It reads nothing itself.</summary>
/// <param name="End">The journal end; 0 in an empty journal.</param>
/// <param name="From">The lowest ordering that was searched.</param>
/// <param name="Gaps">The missing orderings between <paramref name="From"/> and <paramref name="End"/>, ascending.</param>
/// <param name="OpenTransactions">The open transactions that may still commit an ordering, each in words; null if the database does not report them.</param>
internal sealed record JournalView(long End, long From, IReadOnlyList<OrderingRange> Gaps, IReadOnlyList<string>? OpenTransactions)
{
    /// <summary>The high-water mark. Null if a transaction is open that may still commit an ordering, or if the database does not report open transactions.</summary>
    internal long? HighWaterMark => OpenTransactions is { Count: 0 } ? End : null;

    /// <summary>The number of missing orderings.</summary>
    internal long Missing => Gaps.Sum(gap => gap.Last - gap.First + 1);

    /// <param name="from">The lowest ordering that was searched.</param>
    /// <param name="end">The journal end when the search began.</param>
    /// <param name="orderings">What was found last, ascending. A transaction that ended meanwhile has filled its gap there.</param>
    /// <param name="openTransactions">The transactions that were open when the search began, and just before the orderings were read.</param>
    internal static JournalView Of(long from, long end, IEnumerable<long> orderings, IReadOnlyList<string>? openTransactions)
    {
        List<OrderingRange> gaps = [];
        var next = from;
        foreach (var ordering in orderings.Where(each => each >= from && each <= end).Append(end + 1))
        {
            if (ordering > next)
                gaps.Add(new(next, ordering - 1));
            next = ordering + 1;
        }
        return new(end, from, gaps, openTransactions);
    }
}

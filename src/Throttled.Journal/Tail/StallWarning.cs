using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Ordering;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Logs once per stall that the high-water mark has been stalled for long, and which transaction causes it. An operator must end that transaction. On
/// the loop.
/// </summary>
internal sealed class StallWarning(JournalContext context, ReservedPermit reserved)
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(5);

    private OldestGap? _warned;
    private StartupBarrier? _warnedBarrier;

    /// <summary>Call this when the high-water mark is not observed any more, or from another start. Otherwise the end of the stall would be logged.</summary>
    internal void Forget() => (_warned, _warnedBarrier) = (null, null);

    internal void Observe(HighWaterMark highWaterMark)
    {
        ObserveMovement(highWaterMark);
        foreach (var gap in highWaterMark.Skipped)
            context.Log.GapSkipped(gap.First, gap.Last, context.Options.GapTimeout.TotalSeconds);
        // If the database does not report open transactions, each start takes 'GapTimeout', and no operator can shorten it; the probe has logged
        // that. If no transaction is open any more, the start waits for 'GapMinAge' only. Neither case needs a warning.
        if (highWaterMark.Unsettled is { OpenTransactions.Count: > 0 } barrier && barrier != _warnedBarrier && IsLong(barrier.Since))
        {
            _warnedBarrier = barrier;
            Describe(barrier.OpenTransactions, who => context.Log.StartStalled(SecondsSince(barrier.Since), barrier.Position, who));
        }
        if (highWaterMark.OldestGap is { OpenTransactions: not { Count: 0 } } oldest && IsLong(oldest.Since) && !IsKnown(oldest))
        {
            _warned = oldest;
            var count = highWaterMark.GapCount;
            Describe(oldest.OpenTransactions, who => context.Log.Stalled(Missing(oldest.Range), SecondsSince(oldest.Since), count, who));
        }
    }

    private void ObserveMovement(HighWaterMark highWaterMark)
    {
        if (_warnedBarrier is { } barrier && highWaterMark.Unsettled != barrier)
        {
            context.Log.HighWaterMarkMoves(SecondsSince(barrier.Since));
            _warnedBarrier = null;
        }
        if (_warned is { } gap && (highWaterMark.OldestGap is not { } oldest || !IsKnown(oldest)))
        {
            context.Log.HighWaterMarkMoves(SecondsSince(gap.Since));
            _warned = null;
        }
    }

    private static string Missing(OrderingRange range) => range.First == range.Last
        ? FormattableString.Invariant($"Ordering {range.First} is")
        : FormattableString.Invariant($"Orderings {range.First} to {range.Last} are");

    private bool IsLong(TimeSpan since) => context.Loop.Now - since >= Long;

    private double SecondsSince(TimeSpan since) => (context.Loop.Now - since).TotalSeconds;

    // The rest of a partly filled gap is not a new gap.
    private bool IsKnown(OldestGap gap) => _warned is { } warned && warned.Since == gap.Since && gap.Range.First >= warned.Range.First;

    private void Describe(IReadOnlySet<string>? openTransactions, Action<string> notify)
    {
        string? who = null;
        reserved.Run(
            "transactions",
            async (database, cancellation) => who = openTransactions is null
                ? null
                : await database.DescribeOldestAsync(openTransactions, cancellation).ConfigureAwait(false),
            _ => notify(who ?? "the database does not show which"));
    }
}

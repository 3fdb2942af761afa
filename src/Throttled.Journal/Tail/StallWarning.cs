using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Ordering;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// Says in the log, once for each, that the high-water mark has been stalled for long and by whom: it is not the reader's fault, and somebody
/// has to end that transaction. On the loop.
/// </summary>
internal sealed class StallWarning(JournalContext context, ReservedStatements reserved)
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(5);

    private OldGap? _warned;
    private HeadStart? _warnedStart;

    /// <summary>The high-water mark is not observed any more, or from another start: that it is not stalled then says nothing.</summary>
    internal void Forget() => (_warned, _warnedStart) = (null, null);

    internal void Look(JournalHead head)
    {
        LookWhetherItMoves(head);
        foreach (var gap in head.GivenUp)
            context.Log.GaveUpGap(gap.First, gap.Last, context.Options.GapTimeout.TotalSeconds);
        // Where the database does not tell who was open, every start takes 'GapTimeout', and nobody can shorten it; the probe has said so. Where nobody is
        // open any more, 'GapMinAge' counts.
        if (head.Unsettled is { Holders.Count: > 0 } start && start != _warnedStart && IsLong(start.Since))
        {
            _warnedStart = start;
            Describe(start.Holders, who => context.Log.StartStalled(SecondsSince(start.Since), start.Position, who));
        }
        if (head.OldestGap is { Holders: not { Count: 0 } } oldest && IsLong(oldest.Since) && !IsKnown(oldest))
        {
            _warned = oldest;
            var count = head.GapCount;
            Describe(oldest.Holders, who => context.Log.Stalled(Missing(oldest.Range), SecondsSince(oldest.Since), count, who));
        }
    }

    private void LookWhetherItMoves(JournalHead head)
    {
        if (_warnedStart is { } start && head.Unsettled != start)
        {
            context.Log.MovesAgain(SecondsSince(start.Since));
            _warnedStart = null;
        }
        if (_warned is { } gap && (head.OldestGap is not { } oldest || !IsKnown(oldest)))
        {
            context.Log.MovesAgain(SecondsSince(gap.Since));
            _warned = null;
        }
    }

    private static string Missing(OrderingRange range) => range.First == range.Last
        ? FormattableString.Invariant($"Ordering {range.First} is")
        : FormattableString.Invariant($"Orderings {range.First} to {range.Last} are");

    private bool IsLong(TimeSpan since) => context.Loop.Now - since >= Long;

    private double SecondsSince(TimeSpan since) => (context.Loop.Now - since).TotalSeconds;

    // What is left of a gap of which some came is nothing new.
    private bool IsKnown(OldGap gap) => _warned is { } warned && warned.Since == gap.Since && gap.Range.First >= warned.Range.First;

    private void Describe(IReadOnlySet<string>? holders, Action<string> tell)
    {
        string? who = null;
        reserved.Run(
            "holders",
            async (database, cancellation) => who = holders is null
                ? null
                : await database.DescribeOldestAsync(holders, cancellation).ConfigureAwait(false),
            _ => tell(who ?? "the database does not show whose"));
    }
}

using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tail;

/// <summary>
/// Says in the log, once for each, that a gap has been open for long: it is not the reader's fault, and somebody has to end
/// that transaction. On the loop.
/// </summary>
internal sealed class OldGapWarning(JournalContext context)
{
    private static readonly TimeSpan Old = TimeSpan.FromSeconds(5);

    private long _warned;

    internal void Look(OpenGaps gaps)
    {
        if (gaps.Oldest is not var (gap, since) || gap.First <= _warned || context.Loop.Now - since < Old)
            return;
        _warned = gap.First;
        context.Log.OldGap(gap.First, (context.Loop.Now - since).TotalSeconds, gaps.Count);
    }
}

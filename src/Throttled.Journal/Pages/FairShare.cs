using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>
/// Keeps room for the queue of single statements. Their queries wait for each page before they request the next, and a hundred statements by
/// persistence id beside one of theirs would leave it a hundredth of the machine. So while they are at work, no more of the others run than this
/// machine can read at a time, and as many as there are permits when they rest. On the loop.
/// </summary>
/// <param name="loop">The loop.</param>
/// <param name="processors">How many statements this machine can read at a time.</param>
internal sealed class FairShare(JournalLoop loop, int processors)
{
    // Between two pages a reader is at work; longer than this it is no replay.
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(50);

    private int _byId;
    private int _singles;
    private TimeSpan? _rested;

    /// <summary>How many statements by persistence id may start.</summary>
    /// <param name="permits">How many permits there are.</param>
    /// <param name="singlesWait">Whether single statements wait for their turn.</param>
    internal int ByIdRoom(int permits, bool singlesWait)
    {
        var areAtWork = singlesWait || _singles > 0 || loop.Now - _rested < Rest;
        // One permit is theirs; where there is but one, the queues take turns on it.
        var most = areAtWork ? Math.Max(1, Math.Min(processors, permits - 1)) : int.MaxValue;
        return Math.Max(0, most - _byId);
    }

    internal void Started(bool isSingle)
    {
        if (isSingle)
            _singles++;
        else
            _byId++;
    }

    internal void Ended(bool isSingle)
    {
        if (!isSingle)
            _byId--;
        else if (--_singles == 0)
            _rested = loop.Now;
    }
}

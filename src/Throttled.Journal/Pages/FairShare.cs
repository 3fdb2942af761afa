using Throttled.Journal.Loop;

namespace Throttled.Journal.Pages;

/// <summary>
/// Limits the statements by persistence id while single statements are active. A query of a single statement waits for each page before it requests
/// the next. Beside a hundred statements by persistence id, it would get a hundredth of the machine. So while single statements are active, the
/// others run at most one statement per processor. Otherwise they may use all permits. On the loop.
/// </summary>
internal sealed class FairShare(JournalLoop loop, int processors)
{
    // Between two pages, the reader processes events. After a pause longer than this, it is not reading continuously.
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(50);

    private int _byId;
    private int _singles;
    private TimeSpan? _rested;

    /// <summary>How many statements by persistence id may start.</summary>
    internal int ByIdRoom(int permits, bool singlesWait)
    {
        var areAtWork = singlesWait || _singles > 0 || loop.Now - _rested < Rest;
        // One permit is reserved for single statements. If there is only one permit, the queues take turns.
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

using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tail;

/// <summary>Numbers the tail's starts. Keeps the queries by persistence id that wait for the transactions open at the current start. On the loop.</summary>
internal sealed class TailEpoch(HighWaterMark highWaterMark)
{
    private readonly HashSet<IByIdFollower> _waiting = [];
    private int _epoch;

    /// <summary>The number of the current start; 0 while transactions that were open at it may still commit.</summary>
    internal int SettledEpoch => highWaterMark.IsSettled ? _epoch : 0;

    /// <summary>Begins another start. Earlier pages do not count for it.</summary>
    internal void Begin() => _epoch++;

    internal void Add(IByIdFollower feed) => _waiting.Add(feed);

    internal void Remove(IByIdFollower feed) => _waiting.Remove(feed);

    internal void Forget() => _waiting.Clear();

    /// <summary>Makes the waiting queries read one more page. They began to follow before the start had settled.</summary>
    internal void Settled()
    {
        List<IByIdFollower> waiting = [.. _waiting];
        _waiting.Clear();
        foreach (var feed in waiting)
            feed.ReadAgain();
    }
}

using Throttled.Journal.Ordering;

namespace Throttled.Journal.Tail;

/// <summary>Which of its starts the tail follows from, and the queries by persistence id that wait until all that was open at the start has ended. On the loop.</summary>
internal sealed class TailEpoch(HighWaterMark highWaterMark)
{
    private readonly HashSet<IByIdFollower> _waiting = [];
    private int _epoch;

    /// <summary>The number of the start; 0 while what was open at it may still commit.</summary>
    internal int SettledEpoch => highWaterMark.IsSettled ? _epoch : 0;

    /// <summary>There is another start: pages that were read before it say nothing about it.</summary>
    internal void Begin() => _epoch++;

    internal void Add(IByIdFollower feed) => _waiting.Add(feed);

    internal void Remove(IByIdFollower feed) => _waiting.Remove(feed);

    internal void Forget() => _waiting.Clear();

    /// <summary>Those that came to follow while it was open read one more page; nobody else has to.</summary>
    internal void Settled()
    {
        List<IByIdFollower> waiting = [.. _waiting];
        _waiting.Clear();
        foreach (var feed in waiting)
            feed.ReadAgain();
    }
}

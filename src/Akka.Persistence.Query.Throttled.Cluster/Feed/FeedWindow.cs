using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>The events that the feed has read last: all of its source above <see cref="From"/>, up to <see cref="Through"/>.</summary>
internal sealed class FeedWindow(FeedLimits limits, long from)
{
    private readonly List<Entry> _entries = [];
    private int _first;
    private long _dropped;

    /// <summary>The window lacks events at and below this ordering.</summary>
    internal long From { get; private set; } = from;

    /// <summary>The ordering up to which the feed has read.</summary>
    internal long Through { get; private set; } = from;

    internal int Count => _entries.Count - _first;

    internal long Bytes => (Count == 0 ? _dropped : _entries[^1].BytesThrough) - _dropped;

    internal void Append(IEnumerable<JournalEvent> events)
    {
        foreach (var stored in events.Where(stored => stored.Ordering > Through))
        {
            _entries.Add(new(stored, JournalSlices.Of(stored.PersistenceId), _dropped + Bytes + stored.Bytes));
            Through = stored.Ordering;
        }
    }

    /// <summary>Moves on to an ordering up to which there are no further events.</summary>
    internal void Pass(long upTo) => Through = Math.Max(Through, upTo);

    /// <summary>Drops the oldest events above the limits.</summary>
    internal void Trim()
    {
        while (Count > limits.WindowEvents || (Count > 0 && Bytes > limits.WindowBytes))
        {
            From = _entries[_first].Stored.Ordering;
            _dropped = _entries[_first].BytesThrough;
            _entries[_first++] = default;
        }
        if (_first <= _entries.Count / 2)
            return;
        _entries.RemoveRange(0, _first);
        _first = 0;
    }

    /// <summary>Whether a lane at this ordering has caught up with the feed: at most half of the window is after it.</summary>
    internal bool IsNearEnd(long after)
    {
        var index = IndexAfter(after);
        var left = index == _entries.Count ? 0 : _dropped + Bytes - _entries[index].BytesThrough;
        return _entries.Count - index <= limits.WindowEvents / 2 && left <= limits.WindowBytes / 2;
    }

    internal IEnumerable<JournalEvent> After(long ordering, SliceRange slices)
    {
        for (var index = IndexAfter(ordering); index < _entries.Count; index++)
        {
            if (slices.Contains(_entries[index].Slice))
                yield return _entries[index].Stored;
        }
    }

    private int IndexAfter(long ordering)
    {
        var (low, high) = (_first, _entries.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_entries[middle].Stored.Ordering <= ordering)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    private readonly record struct Entry(JournalEvent Stored, int Slice, long BytesThrough);
}

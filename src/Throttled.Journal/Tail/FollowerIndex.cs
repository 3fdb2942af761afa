using System.Runtime.InteropServices;

namespace Throttled.Journal.Tail;

/// <summary>Live feeds by key. Feeds with the same key form a linked list, so a key needs one dictionary entry and a feed needs none. On the loop.</summary>
internal sealed class FollowerIndex<T>
    where T : class, IFollower<T>
{
    private readonly Dictionary<string, T> _first = new(StringComparer.Ordinal);

    internal int Count { get; private set; }

    /// <summary>The first feed of a key; the others are linked to it.</summary>
    internal T? First(string key) => _first.GetValueOrDefault(key);

    internal void Add(T feed)
    {
        ref var first = ref CollectionsMarshal.GetValueRefOrAddDefault(_first, feed.Key, out _);
        feed.Next = first;
        first?.Previous = feed;
        first = feed;
        Count++;
    }

    internal void Remove(T feed)
    {
        feed.Next?.Previous = feed.Previous;
        if (feed.Previous is { } previous)
            previous.Next = feed.Next;
        else if (feed.Next is { } next)
            _first[feed.Key] = next;
        else
            _first.Remove(feed.Key);
        (feed.Next, feed.Previous) = (null, null);
        Count--;
    }

    /// <summary>A copy of all feeds, so feeds can be removed while it is enumerated.</summary>
    internal List<T> All()
    {
        var all = new List<T>(Count);
        foreach (var first in _first.Values)
        {
            for (var feed = first; feed is not null; feed = feed.Next)
                all.Add(feed);
        }
        return all;
    }
}

/// <summary>The feeds to notify once at the end of a round. On the loop.</summary>
internal sealed class RoundList<T>
    where T : class, IFollower<T>
{
    private List<T> _feeds = [];

    internal void Note(T feed)
    {
        if (feed.IsInRound)
            return;
        feed.IsInRound = true;
        _feeds.Add(feed);
    }

    internal void End()
    {
        var feeds = _feeds;
        _feeds = [];
        foreach (var feed in feeds)
        {
            feed.IsInRound = false;
            feed.RoundEnded();
        }
    }
}

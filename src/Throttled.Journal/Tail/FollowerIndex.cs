using System.Runtime.InteropServices;
using Throttled.Journal.Queries;

namespace Throttled.Journal.Tail;

/// <summary>
/// Live feeds by persistence id. Feeds of the same id form a chain through the feeds themselves, so that an id costs one entry
/// and a feed none. On the loop.
/// </summary>
internal sealed class FollowerIndex
{
    private readonly Dictionary<string, JournalFeed> _first = new(StringComparer.Ordinal);

    internal int Count { get; private set; }

    /// <summary>The first feed of a persistence id; the others hang on it.</summary>
    internal JournalFeed? First(string persistenceId) => _first.GetValueOrDefault(persistenceId);

    internal void Add(JournalFeed feed)
    {
        ref var first = ref CollectionsMarshal.GetValueRefOrAddDefault(_first, feed.PersistenceId, out _);
        feed.NextFollower = first;
        first?.PreviousFollower = feed;
        first = feed;
        Count++;
    }

    internal void Remove(JournalFeed feed)
    {
        feed.NextFollower?.PreviousFollower = feed.PreviousFollower;
        if (feed.PreviousFollower is { } previous)
            previous.NextFollower = feed.NextFollower;
        else if (feed.NextFollower is { } next)
            _first[feed.PersistenceId] = next;
        else
            _first.Remove(feed.PersistenceId);
        (feed.NextFollower, feed.PreviousFollower) = (null, null);
        Count--;
    }

    /// <summary>All feeds, as they are now: they may leave while one goes through them.</summary>
    internal IReadOnlyList<JournalFeed> All()
    {
        var all = new List<JournalFeed>(Count);
        foreach (var first in _first.Values)
        {
            for (var feed = first; feed is not null; feed = feed.NextFollower)
                all.Add(feed);
        }
        return all;
    }
}

using Throttled.Journal.Queries;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// From the keys of one look to the rows that followers want: each is told of its keys, is offered its rows, and is told when there are
/// no more. On the loop.
/// </summary>
/// <param name="followers">Who follows.</param>
/// <param name="maxRows">How many rows one statement may fetch.</param>
internal sealed class TailRound(FollowerIndex followers, int maxRows)
{
    private readonly List<JournalFeed> _feeds = [];

    /// <returns>The orderings of the rows to fetch.</returns>
    internal List<long> Tell(KeysFound found)
    {
        List<long> wanted = [];
        foreach (var key in found.Late)
            Tell(key, wanted);
        foreach (var key in found.Above)
            Tell(key, wanted);
        return wanted;
    }

    internal void Offer(IEnumerable<JournalEvent> rows)
    {
        foreach (var row in rows.OrderBy(row => row.Ordering))
        {
            for (var feed = followers.First(row.PersistenceId); feed is not null; feed = feed.NextFollower)
                feed.Offer(row);
        }
    }

    internal void End()
    {
        foreach (var feed in _feeds)
        {
            feed.IsInRound = false;
            feed.RoundEnded();
        }
        _feeds.Clear();
    }

    private void Tell(JournalKey key, List<long> wanted)
    {
        var isWanted = false;
        for (var feed = followers.First(key.PersistenceId); feed is not null;)
        {
            // A feed may leave when it is told.
            var next = feed.NextFollower;
            if (feed.Saw(key.SequenceNumber))
            {
                isWanted = true;
                Note(feed);
            }
            feed = next;
        }
        // Feeds whose rows are too many for one statement find at the end of the round that they have missed some.
        if (isWanted && wanted.Count < maxRows)
            wanted.Add(key.Ordering);
    }

    private void Note(JournalFeed feed)
    {
        if (feed.IsInRound)
            return;
        feed.IsInRound = true;
        _feeds.Add(feed);
    }
}

namespace Throttled.Journal.Tail;

/// <summary>Those who are notified once when the rows of a round are there. On the loop.</summary>
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

using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// Processes one poll, from its keys to the rows that followers want. Each follower is notified of its keys, is offered its rows, and is notified of
/// the end of the round. On the loop.
/// </summary>
internal sealed class PollRound(FollowerIndex<IByIdFollower> byId, OrderedFollowers ordered, PersistenceIdList ids, int maxRows)
{
    // The weight of the last poll in the moving average.
    private const double Weight = 0.2;

    private readonly RoundList<IByIdFollower> _notified = new();
    private Dictionary<long, JournalKey> _forOrdered = [];
    private double _wantedShare;

    /// <summary>Whether most rows are wanted. Reading all rows at once is then cheaper than reading the keys first.</summary>
    internal bool WantsMost => _wantedShare > 0.5;

    /// <summary>Notifies all followers of new keys.</summary>
    /// <param name="after">The position; keys at or below it are known, except late ones.</param>
    /// <param name="result">The keys.</param>
    /// <param name="rows">The rows that came with the keys. Those of late keys may be missing. Null if only keys were read.</param>
    /// <returns>The orderings of wanted rows that must still be read.</returns>
    internal List<long> Notify(long after, KeysResult result, TailRows? rows)
    {
        var tags = rows?.Events.ToDictionary(row => row.Ordering, row => row.Tags);
        List<long> wanted = [], late = [];
        foreach (var key in result.Late)
            Notify(key, tags?.GetValueOrDefault(key.Ordering) ?? result.Tags.GetValueOrDefault(key.Ordering) ?? [], late);
        if (tags is not null)
            late.RemoveAll(tags.ContainsKey);
        foreach (var key in result.Above)
        {
            if (key.Ordering > after)
                Notify(key, (tags ?? result.Tags).GetValueOrDefault(key.Ordering) ?? [], wanted);
        }
        Record(wanted.Count, result.Above.Count);
        if (rows is null)
            late.AddRange(wanted);
        if (late.Count <= maxRows)
            return late;
        // There are too many rows for one statement. Feeds by id detect at the end of the round that they missed some.
        ordered.Missed();
        return late[..maxRows];
    }

    /// <summary>Offers rows to the followers.</summary>
    internal void Offer(IEnumerable<JournalEvent> rows)
    {
        var ascending = rows.OrderBy(row => row.Ordering).ToList();
        foreach (var row in ascending)
        {
            for (var feed = byId.First(row.PersistenceId); feed is not null; feed = feed.Next)
                feed.Offer(row);
        }
        ordered.Take(ascending.Where(IsWanted));
    }

    // If orderings are issued again, another event may have this ordering now. The next poll reports it.
    private bool IsWanted(JournalEvent row) =>
        _forOrdered.TryGetValue(row.Ordering, out var key)
        && key.SequenceNumber == row.SequenceNumber && string.Equals(key.PersistenceId, row.PersistenceId, StringComparison.Ordinal);

    /// <summary>Ends the round: all available rows were offered.</summary>
    /// <param name="isWhole">Whether no wanted row is missing.</param>
    internal void End(bool isWhole)
    {
        if (!isWhole && _forOrdered.Count > 0)
            ordered.Missed();
        _forOrdered = [];
        _notified.End();
        ids.Notify();
        ordered.Release();
    }

    /// <summary>Call this when a poll failed. A poll with rows may fail because of one row, so the next one reads keys only.</summary>
    internal void PreferKeys() => _wantedShare = 0;

    private void Notify(JournalKey key, IReadOnlyList<string> tags, List<long> wanted)
    {
        ids.Observe(key.PersistenceId);
        var isWanted = false;
        for (var feed = byId.First(key.PersistenceId); feed is not null;)
        {
            // A feed may be removed when it is notified.
            var next = feed.Next;
            if (feed.Observe(key.SequenceNumber))
            {
                isWanted = true;
                _notified.Note(feed);
            }
            feed = next;
        }
        if (ordered.Wants(key, tags))
        {
            isWanted = true;
            _forOrdered[key.Ordering] = key;
        }
        if (isWanted)
            wanted.Add(key.Ordering);
    }

    private void Record(int wanted, int seen)
    {
        if (seen > 1)
            _wantedShare += Weight * (Math.Min(1, (double)wanted / (seen - 1)) - _wantedShare);
    }
}

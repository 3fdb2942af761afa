using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// From the keys of one poll to the rows that followers want: each is notified of its keys, is offered its rows, and is notified when there are
/// no more. On the loop.
/// </summary>
/// <param name="byId">Who follows a persistence id.</param>
/// <param name="ordered">Who follows the order of the journal.</param>
/// <param name="ids">Who follows the persistence ids.</param>
/// <param name="maxRows">How many rows one statement may fetch.</param>
internal sealed class PollRound(FollowerIndex<IByIdFollower> byId, OrderedFollowers ordered, PersistenceIdList ids, int maxRows)
{
    // How much the last poll counts against all before it.
    private const double Weight = 0.2;

    private readonly RoundList<IByIdFollower> _notified = new();
    private Dictionary<long, JournalKey> _forOrdered = [];
    private double _wantedShare;

    /// <summary>Whether so many rows are wanted that it is cheaper to read all of them at once than the keys first.</summary>
    internal bool WantsMost => _wantedShare > 0.5;

    /// <summary>Notifies all of the keys that are new.</summary>
    /// <param name="after">The position: what is at or below it and not late is known.</param>
    /// <param name="result">The keys.</param>
    /// <param name="rows">The rows that came with them; null where none did.</param>
    /// <returns>The orderings of the rows that are still to be fetched.</returns>
    internal List<long> Notify(long after, KeysResult result, TailRows? rows)
    {
        var tags = rows?.Events.ToDictionary(row => row.Ordering, row => row.Tags);
        List<long> wanted = [], late = [];
        foreach (var key in result.Late)
            Notify(key, result.Tags.GetValueOrDefault(key.Ordering) ?? [], late);
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
        // Feeds whose rows are too many for one statement find at the end of the round that they have missed some.
        ordered.Missed();
        return late[..maxRows];
    }

    /// <summary>Offers rows to who wants them.</summary>
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

    // Where numbers are issued again, another event may stand there by now; the next poll notifies of it.
    private bool IsWanted(JournalEvent row) =>
        _forOrdered.TryGetValue(row.Ordering, out var key)
        && key.SequenceNumber == row.SequenceNumber && string.Equals(key.PersistenceId, row.PersistenceId, StringComparison.Ordinal);

    /// <summary>The rows of this round that could be had were offered.</summary>
    /// <param name="isWhole">Whether none is missing.</param>
    internal void End(bool isWhole)
    {
        if (!isWhole && _forOrdered.Count > 0)
            ordered.Missed();
        _forOrdered = [];
        _notified.End();
        ids.Notify();
        ordered.Release();
    }

    /// <summary>A poll failed: what comes with rows may fail by one of them.</summary>
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

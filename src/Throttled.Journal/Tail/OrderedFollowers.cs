using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The queries in journal order. Subscribed queries get the rows of the tail, in order, when the high-water mark has passed them. The others read
/// pages, and wait here for the high-water mark to move. On the loop.
/// </summary>
internal sealed class OrderedFollowers(JournalContext context, HighWaterMark highWaterMark, ByteBudget budget)
{
    private readonly HashSet<IOrderedFollower> _all = [];
    private readonly FollowerIndex<IOrderedFollower> _subscribed = new();
    private readonly RoundList<IOrderedFollower> _round = new();
    private readonly ReorderBuffer _buffer = new(budget);
    private Func<Exception>? _refused;
    private HashSet<IOrderedFollower> _waiting = [];
    private HashSet<IOrderedFollower> _endRequested = [];
    private HashSet<IOrderedFollower> _notifiedByThisPoll = [];
    private long? _notifiedMark;
    private long _notifiedSeen;
    private int _liveByTag;

    // The highest start position above all orderings seen when its query subscribed. Only a poll that begins later shows whether the journal extends
    // that far.
    private long _doubted;
    private long _doubtedByThisPoll;
    private bool _isWarned;
    private string? _warnedOfTags;

    internal int Count => _all.Count;

    /// <summary>The subscribed queries have received their rows up to this ordering.</summary>
    internal long Released { get; private set; }

    /// <summary>The highest ordering seen; 0 while another server answers that may be behind.</summary>
    internal long HighestSeen => highWaterMark.IsBehind ? 0 : highWaterMark.HighestSeen;

    internal long? HighWaterMark => highWaterMark.Value;

    /// <summary>Whether the tail has a position.</summary>
    internal bool CanSubscribe => highWaterMark.HasBegun;

    /// <summary>Whether polls read tags: from the start of a live query by tag, because a poll without them would send it back to pages.</summary>
    internal bool WantsTags => _liveByTag > 0;

    /// <summary>Why reading by tag is slow; null if it is not. Logged once, when a query reads by tag.</summary>
    internal string? TagWarning
    {
        get;
        set
        {
            field = value;
            WarnOfTags(_all);
        }
    }

    /// <summary>Queries that wait for the high-water mark or for the end.</summary>
    internal IEnumerable<PageRequest> Waiting => _waiting.Select(feed => feed.Request);

    /// <summary>Why queries in journal order are refused, as a sentence; null if they are not. Setting it fails the existing queries.</summary>
    internal string? Refusal
    {
        set
        {
            _refused = value is null ? null : () => context.Failure(value);
            if (_refused is { } refused)
                FailAll(refused);
        }
    }

    /// <summary>Takes in the refusal that a poll found; null changes nothing.</summary>
    internal void Refuse(string? refusal)
    {
        if (refusal is not null)
            Refusal = refusal;
    }

    /// <returns>Whether the query may follow; if not, it has failed.</returns>
    internal bool Add(IOrderedFollower feed)
    {
        if (_all.Add(feed) && MaySubscribeByTag(feed))
            _liveByTag++;
        WarnOfTags([feed]);
        if (_refused is { } refused)
            feed.End(refused());
        return _refused is null;
    }

    internal void Remove(IOrderedFollower feed)
    {
        if (_all.Remove(feed) && MaySubscribeByTag(feed))
            _liveByTag--;
        _waiting.Remove(feed);
        _endRequested.Remove(feed);
        _notifiedByThisPoll.Remove(feed);
    }

    /// <summary>Called once, when a query begins after an ordering above the journal end, with both orderings.</summary>
    internal Action<long, long> IsBeyondTheEnd { get; set; } = context.Log.BeyondTheEnd;

    /// <summary>Subscribes a feed. It is offered the rows that it wants above the returned position.</summary>
    internal long Subscribe(IOrderedFollower feed)
    {
        _subscribed.Add(feed);
        if (feed.Position > highWaterMark.HighestSeen)
            _doubted = Math.Max(_doubted, feed.Position);
        return highWaterMark.HighestSeen;
    }

    internal void Unsubscribe(IOrderedFollower feed)
    {
        _subscribed.Remove(feed);
        if (_subscribed.Count == 0)
            _buffer.Clear();
    }

    /// <summary>Notifies the feed once when the high-water mark has moved or become known.</summary>
    internal void NotifyWhenMoved(IOrderedFollower feed)
    {
        if (_waiting.Add(feed))
            feed.Request.Since = context.Loop.Now;
    }

    /// <summary>Notifies the feed of the journal end at the next poll that begins.</summary>
    internal void NotifyOfEnd(IOrderedFollower feed) => _endRequested.Add(feed);

    /// <summary>Whether a poll is needed at once.</summary>
    internal bool IsEndRequested => _endRequested.Count > 0;

    internal bool Wants(JournalKey key, IReadOnlyList<string> tags)
    {
        if (_subscribed.Count == 0)
            return false;
        var slice = SliceOf(key.PersistenceId);
        for (var feed = _subscribed.First(""); feed is not null; feed = feed.Next)
        {
            if (feed.Filter.Slices.Contains(slice))
                return true;
        }
        foreach (var tag in tags)
        {
            if (_subscribed.First(tag) is not null)
                return true;
        }
        return false;
    }

    internal void PollBegins()
    {
        _notifiedByThisPoll.UnionWith(_endRequested);
        _endRequested.Clear();
        (_doubtedByThisPoll, _doubted) = (Math.Max(_doubtedByThisPoll, _doubted), 0);
    }

    /// <summary>Call this when the poll has seen all rows that existed when it began.</summary>
    internal void ObserveEnd()
    {
        var notified = _notifiedByThisPoll;
        _notifiedByThisPoll = [];
        highWaterMark.Confirm(context.Loop.Now);
        foreach (var feed in notified)
            feed.SetEnd(highWaterMark.HighestSeen);
        if (_doubtedByThisPoll > highWaterMark.HighestSeen && !_isWarned)
        {
            _isWarned = true;
            IsBeyondTheEnd(_doubtedByThisPoll, highWaterMark.HighestSeen);
        }
        _doubtedByThisPoll = 0;
    }

    internal void Take(IEnumerable<JournalEvent> rows)
    {
        if (_subscribed.Count == 0)
            return;
        foreach (var row in rows)
        {
            if (!_buffer.Add(row))
            {
                Missed();
                return;
            }
        }
    }

    /// <summary>Call this when wanted rows are missing. All subscribed queries then read pages.</summary>
    internal void Missed()
    {
        _buffer.Clear();
        foreach (var feed in _subscribed.All())
            feed.Lag();
    }

    /// <summary>Call this when the keys of a poll have no tags, because no query needed them when it began. Queries by tag then read pages.</summary>
    internal void MissedTags()
    {
        if (!WantsTags)
            return;
        foreach (var feed in _subscribed.All())
        {
            if (feed.Filter.Tag is not null)
                feed.Lag();
        }
    }

    /// <summary>Delivers the rows that the high-water mark has passed.</summary>
    internal void Release()
    {
        if (HighWaterMark is not { } settled)
        {
            NotifyOfSeen();
            return;
        }
        foreach (var row in _buffer.TakeUpTo(settled))
            Offer(row);
        Released = settled;
        _round.End();
        if (settled == _notifiedMark)
            return;
        _notifiedMark = settled;
        NotifyWaiting();
    }

    // Without a high-water mark, queries that met no gap continue up to the highest ordering seen.
    private void NotifyOfSeen()
    {
        if (_notifiedSeen == HighestSeen)
            return;
        _notifiedSeen = HighestSeen;
        NotifyWaiting();
    }

    internal void NotifyWaiting()
    {
        var waiting = _waiting;
        _waiting = [];
        foreach (var feed in waiting)
            feed.HighWaterMarkMoved();
    }

    /// <summary>Call this when orderings above <paramref name="to"/> are issued again.</summary>
    internal void RewindTo(long to)
    {
        _buffer.Clear();
        Released = Math.Min(Released, to);
        _notifiedMark = null;
        foreach (var feed in All())
            feed.RewindTo(to);
    }

    /// <summary>
    /// Call this when the high-water mark is not known any more. Waiting queries are notified when it is known again, even if it has the same value.
    /// </summary>
    internal void Moved() => (_notifiedMark, _notifiedSeen) = (null, 0);

    /// <summary>Call this when no query follows any more. The database may contain another journal later.</summary>
    internal void Forget()
    {
        _buffer.Clear();
        (Released, _notifiedMark, _notifiedSeen) = (0, null, 0);
    }

    internal void FailAll(Func<Exception> error)
    {
        foreach (var feed in All())
            feed.End(error());
    }

    private void WarnOfTags(IEnumerable<IOrderedFollower> feeds)
    {
        if (TagWarning is not { } warning || warning == _warnedOfTags || !feeds.Any(feed => feed.Filter.Tag is not null))
            return;
        _warnedOfTags = warning;
        context.Log.TagWarning(warning);
    }

    private static bool MaySubscribeByTag(IOrderedFollower feed) => feed.Filter.Tag is not null && feed.Request.IsLive;

    private List<IOrderedFollower> All() => [.. _all];

    // The slice is needed only if a query without a tag follows; queries by tag want all slices.
    private int SliceOf(string persistenceId) => _subscribed.First("") is null ? 0 : JournalSlices.Of(persistenceId);

    private void Offer(JournalEvent row)
    {
        var slice = SliceOf(row.PersistenceId);
        Offer(row, slice, "");
        foreach (var tag in row.Tags)
            Offer(row, slice, tag);
    }

    private void Offer(JournalEvent row, int slice, string key)
    {
        for (var feed = _subscribed.First(key); feed is not null;)
        {
            // A feed may unsubscribe here if it has no room.
            var next = feed.Next;
            if (feed.Offer(row, slice))
                _round.Note(feed);
            feed = next;
        }
    }
}

using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Ordering;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>
/// The queries in journal order: those that are subscribed get the rows that the tail reads, in order, once the high-water mark has passed them; the
/// others read pages and wait here for the high-water mark to move on. On the loop.
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
    private int _tagFollowers;

    // The highest position above what was seen when its query came. Only a poll that begins later shows whether the journal goes that far.
    private long _doubted;
    private long _doubtedByThisPoll;
    private bool _isWarned;
    private string? _warnedOfTags;

    internal int Count => _all.Count;

    /// <summary>Rows up to here were given to those who are subscribed.</summary>
    internal long Released { get; private set; }

    /// <summary>How far the journal has been seen; 0 while another server than the one that showed it answers, and may be behind.</summary>
    internal long HighestSeen => highWaterMark.IsBehind ? 0 : highWaterMark.HighestSeen;

    /// <summary>How far its order is settled; null while that is not known.</summary>
    internal long? HighWaterMark => highWaterMark.Value;

    /// <summary>Whether the tail stands anywhere.</summary>
    internal bool CanSubscribe => highWaterMark.HasBegun;

    /// <summary>Whether the keys need their tags.</summary>
    internal bool WantsTags => _tagFollowers > 0;

    /// <summary>Why reading by tag is slow, said once to who does it; null where it is not.</summary>
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

    /// <summary>Why there can be no queries in journal order, as a sentence; null where there can.</summary>
    internal string? Refusal
    {
        set
        {
            _refused = value is null ? null : () => context.Failure(value);
            if (_refused is { } refused)
                FailAll(refused);
        }
    }

    /// <summary>A poll found why there can be no such queries; null where it did not.</summary>
    internal void Refuse(string? refusal)
    {
        if (refusal is not null)
            Refusal = refusal;
    }

    /// <returns>Whether it may follow; otherwise it has failed.</returns>
    internal bool Add(IOrderedFollower feed)
    {
        _all.Add(feed);
        WarnOfTags([feed]);
        if (_refused is { } refused)
            feed.End(refused());
        return _refused is null;
    }

    internal void Remove(IOrderedFollower feed)
    {
        _all.Remove(feed);
        _waiting.Remove(feed);
        _endRequested.Remove(feed);
        _notifiedByThisPoll.Remove(feed);
    }

    /// <summary>Called once, when a query begins behind an ordering above the journal's end; with both.</summary>
    internal Action<long, long> IsBeyondTheEnd { get; set; } = context.Log.BeyondTheEnd;

    /// <summary>From now on the feed is offered what it wants of the rows above the position that is returned.</summary>
    internal long Subscribe(IOrderedFollower feed)
    {
        _subscribed.Add(feed);
        _tagFollowers += feed.Filter.Tag is null ? 0 : 1;
        if (feed.Position > highWaterMark.HighestSeen)
            _doubted = Math.Max(_doubted, feed.Position);
        return highWaterMark.HighestSeen;
    }

    internal void Unsubscribe(IOrderedFollower feed)
    {
        _subscribed.Remove(feed);
        _tagFollowers -= feed.Filter.Tag is null ? 0 : 1;
        if (_subscribed.Count == 0)
            _buffer.Clear();
    }

    /// <summary>Notifies the feed when the high-water mark has moved, or become known.</summary>
    internal void NotifyWhenMoved(IOrderedFollower feed)
    {
        if (_waiting.Add(feed))
            feed.Request.Since = context.Loop.Now;
    }

    /// <summary>Notifies the feed where the journal ends, as of a poll that begins after this.</summary>
    internal void NotifyOfEnd(IOrderedFollower feed) => _endRequested.Add(feed);

    /// <summary>Whether a poll is wanted at once.</summary>
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

    /// <summary>The poll has seen all that there was when it began.</summary>
    internal void ObserveEnd()
    {
        var notified = _notifiedByThisPoll;
        _notifiedByThisPoll = [];
        foreach (var feed in notified)
            feed.SetEnd(highWaterMark.HighestSeen);
        if (_doubtedByThisPoll > highWaterMark.HighestSeen && !_isWarned)
        {
            _isWarned = true;
            IsBeyondTheEnd(_doubtedByThisPoll, highWaterMark.HighestSeen);
        }
        _doubtedByThisPoll = 0;
    }

    /// <summary>Takes in rows that were wanted.</summary>
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

    /// <summary>Some rows that were wanted are not here: all who are subscribed read pages.</summary>
    internal void Missed()
    {
        _buffer.Clear();
        foreach (var feed in _subscribed.All())
            feed.Lag();
    }

    /// <summary>The keys of this poll have no tags, because nobody wanted any when it began: who does now reads pages.</summary>
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

    /// <summary>Delivers what the high-water mark has passed.</summary>
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

    // Without a high-water mark, who met no gap reads on to the end of what was seen.
    private void NotifyOfSeen()
    {
        if (_notifiedSeen == HighestSeen)
            return;
        _notifiedSeen = HighestSeen;
        NotifyWaiting();
    }

    /// <summary>The high-water mark has become known, or moved without rows.</summary>
    internal void NotifyWaiting()
    {
        var waiting = _waiting;
        _waiting = [];
        foreach (var feed in waiting)
            feed.HighWaterMarkMoved();
    }

    /// <summary>Numbers above an ordering are issued anew.</summary>
    internal void RewindTo(long to)
    {
        _buffer.Clear();
        Released = Math.Min(Released, to);
        _notifiedMark = null;
        foreach (var feed in All())
            feed.RewindTo(to);
    }

    /// <summary>The high-water mark is not known any more: who waits is notified when it is, also where it is the same.</summary>
    internal void Moved() => (_notifiedMark, _notifiedSeen) = (null, 0);

    /// <summary>Nobody follows any more: the next journal may be another one.</summary>
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

    private List<IOrderedFollower> All() => [.. _all];

    // Who follows a tag takes all slices.
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
            // A feed may unsubscribe when it has no room.
            var next = feed.Next;
            if (feed.Offer(row, slice))
                _round.Note(feed);
            feed = next;
        }
    }
}

using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>What a lane does to the world.</summary>
internal interface IFeedLanePort
{
    void Send(FeedMessage message);

    /// <summary>Gives the reader a page. The reader waits for it.</summary>
    void Deliver(IReadOnlyList<JournalEvent> events);

    /// <summary>Reads an event that was too large for a message.</summary>
    void Fetch(JournalEvent reference);

    /// <summary>Opens the lane's own query after an ordering; the query before it is closed.</summary>
    void OpenOwn(long after);

    void DemandOwn();

    /// <summary>Asks how far the own query has scanned while it waits for events.</summary>
    void ScanOwn();

    void CloseOwn();
}

/// <summary>
/// One reader of the feed. It takes a batch only if that begins where the lane is, so lost, repeated and late messages change nothing. If the feed
/// sends it away or is silent, it reads for itself, and comes back when it has caught up. Has no clock and no thread of its own.
/// </summary>
internal sealed class FeedLane(string name, int shard, SliceRange slices, FeedLaneLimits limits, IFeedLanePort port)
{
    private readonly Queue<IReadOnlyList<FeedEvent>> _pages = [];
    private int _buffered;
    private bool _isFetching;
    private bool _isWanted;
    private long _delivered;

    // When the open demand was sent last; null if none is open.
    private TimeSpan? _sent;
    private TimeSpan _heard;
    private bool _isOwnDemanded;
    private bool _isAsking;
    private TimeSpan _asked;

    internal required long Epoch { get; set; }

    /// <summary>The lane has received every event of its slices up to this ordering.</summary>
    internal required long Position { get; set; }

    /// <summary>Whether the lane reads for itself.</summary>
    internal bool IsReading { get; private set; }

    /// <summary>Whether the lane reads for itself because the feed did not answer.</summary>
    internal bool IsFeedSilent { get; private set; }

    /// <summary>Whether the feed was at the end of the journal when it answered last.</summary>
    internal bool IsFollowing { get; private set; }

    /// <summary>Events that the reader has not taken yet.</summary>
    internal int Buffered => _buffered;

    /// <summary>Whether the reader has everything up to <see cref="Position"/> and waits for more.</summary>
    internal bool IsDrained => _isWanted && _pages.Count == 0;

    /// <summary>The reader wants the next page.</summary>
    internal void Demand(TimeSpan now)
    {
        _isWanted = true;
        Advance(now);
    }

    /// <summary>The reader wants the next page, and has read no further than this ordering.</summary>
    internal void DemandAfter(long ordering, TimeSpan now)
    {
        if (ordering < _delivered)
            GoBackTo(ordering);
        Demand(now);
    }

    internal void Receive(FeedBatch batch, TimeSpan now)
    {
        if (batch.Epoch != Epoch || (IsReading && !_isAsking))
            return;
        (_heard, IsFeedSilent) = (now, false);
        if (batch.After != Position)
            return;
        if (IsReading)
            ComeBack();
        Position = batch.Through;
        IsFollowing = batch.IsFollowing;
        Enqueue(batch.Events);
        // A batch without progress leaves the demand open.
        _sent = batch.IsLast && batch.Through > batch.After ? null : now;
        Advance(now);
    }

    internal void Receive(ReadYourself away, TimeSpan now)
    {
        if (away.Epoch != Epoch || away.After != Position)
            return;
        IsFeedSilent = false;
        if (!IsReading)
        {
            ReadOwn(now);
            return;
        }
        ReadOnWithout(now);
    }

    /// <summary>A large event has been read; null if it was deleted meanwhile.</summary>
    internal void Fetched(long ordering, JournalEvent? stored, TimeSpan now)
    {
        if (!_isFetching || _pages.Peek()[0].Stored.Ordering != ordering)
            return;
        _isFetching = false;
        TakePage();
        if (stored is not null)
            Deliver([stored]);
        Advance(now);
    }

    /// <summary>The own query has delivered a page up to an ordering. The reader gets it at once.</summary>
    internal void OwnPage(long last)
    {
        (Position, _delivered) = (last, last);
        (_isWanted, _isOwnDemanded, _isAsking) = (false, false, false);
    }

    /// <summary>The own query has scanned up to an ordering; null if it does not say.</summary>
    internal void OwnScanned(long? upTo, TimeSpan now)
    {
        if (!IsReading || !_isOwnDemanded)
            return;
        Position = Math.Max(Position, upTo ?? 0);
        Ask(now);
    }

    internal void Tick(TimeSpan now)
    {
        if (!IsReading)
            WatchFeed(now);
        else if (_isAsking && now - _asked >= limits.Retry)
            ReadOnWithout(now);
        else if (_isOwnDemanded && !_isAsking && now - _asked >= limits.AskInterval)
        {
            _asked = now;
            port.ScanOwn();
        }
    }

    internal void Close()
    {
        if (IsReading)
            port.CloseOwn();
        port.Send(new FeedLeave(name, shard) { Epoch = Epoch });
    }

    private void WatchFeed(TimeSpan now)
    {
        if (_sent is not { } sent)
            return;
        if (now - _heard >= limits.FeedTimeout)
        {
            IsFeedSilent = true;
            ReadOwn(now);
        }
        else if (now - sent >= limits.Retry)
            Send(now);
    }

    private void Advance(TimeSpan now)
    {
        if (_isWanted)
            DeliverNext();
        if (!IsReading)
            Prefetch(now);
        else if (IsDrained && !_isOwnDemanded && !_isAsking)
            ReadOn(now);
    }

    private void DeliverNext()
    {
        if (_pages.Count == 0 || _isFetching)
            return;
        if (_pages.Peek()[0] is { IsReference: true, Stored: var reference })
        {
            _isFetching = true;
            port.Fetch(reference);
        }
        else
            Deliver([.. TakePage().Select(each => each.Stored)]);
    }

    private void Prefetch(TimeSpan now)
    {
        if (_sent is not null || _buffered > limits.Credit / 2)
            return;
        _heard = now;
        Send(now);
    }

    // Asks between two pages. Otherwise a lane that always has a page to read would never catch up with the feed.
    private void ReadOn(TimeSpan now)
    {
        if (now - _asked >= limits.AskInterval)
        {
            Ask(now);
            return;
        }
        _isOwnDemanded = true;
        port.DemandOwn();
    }

    // The feed has refused, or has not answered in time. The interval begins again. Otherwise the lane would ask once more instead of reading.
    private void ReadOnWithout(TimeSpan now)
    {
        (_isAsking, _asked) = (false, now);
        Advance(now);
    }

    private void Ask(TimeSpan now)
    {
        (_isAsking, _asked) = (true, now);
        port.Send(NewDemand());
    }

    private void Send(TimeSpan now)
    {
        _sent = now;
        port.Send(NewDemand());
    }

    private FeedDemand NewDemand() => new(name, shard)
    {
        Epoch = Epoch,
        After = Position,
        Credit = limits.Credit - _buffered,
        Slices = slices,
        IsReading = IsReading,
    };

    private void ReadOwn(TimeSpan now)
    {
        Epoch++;
        (IsReading, IsFollowing, _sent, _asked) = (true, false, null, now);
        port.OpenOwn(Position);
        Advance(now);
    }

    private void ComeBack()
    {
        (IsReading, _isOwnDemanded, _isAsking) = (false, false, false);
        port.CloseOwn();
    }

    private void GoBackTo(long ordering)
    {
        Epoch++;
        _pages.Clear();
        (Position, _delivered, _buffered, _isFetching, _sent) = (ordering, ordering, 0, false, null);
        if (!IsReading)
            return;
        (_isOwnDemanded, _isAsking) = (false, false);
        port.OpenOwn(Position);
    }

    private void Deliver(IReadOnlyList<JournalEvent> events)
    {
        (_isWanted, _delivered) = (false, events[^1].Ordering);
        port.Deliver(events);
    }

    private void Enqueue(IReadOnlyList<FeedEvent> events)
    {
        for (var first = 0; first < events.Count;)
        {
            var count = events[first].IsReference ? 1 : events.Skip(first).TakeWhile(each => !each.IsReference).Count();
            _pages.Enqueue([.. events.Skip(first).Take(count)]);
            first += count;
        }
        _buffered += events.Count;
    }

    private IReadOnlyList<FeedEvent> TakePage()
    {
        var page = _pages.Dequeue();
        _buffered -= page.Count;
        return page;
    }
}

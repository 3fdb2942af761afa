using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query in journal order: all events, the events with a tag, or the events of some slices. It reads pages up to the high-water mark, never above
/// it. A live query then subscribes to the tail, reads the events that the tail saw before that, and follows. A current query reads up to the journal
/// end at its start.
/// </summary>
internal sealed class OrderedFeed : EventFeed, IOrderedPageRequest, IOrderedFollower, IScanningFeed
{
    // The ordering at which a current query ends. MaxValue while it is not known, and for a live query.
    private long _end = long.MaxValue;

    // The tail delivers rows above this. MaxValue means not subscribed.
    private long _subscribedAt = long.MaxValue;

    private PendingEvents? _pending;

    // The next page, read while the reader processes its page. The position is still before it.
    private ReadAhead? _ahead;
    private int _pageSize;

    internal OrderedFeed(FeedContext context, OrderedQuery query, IPageReader<JournalEvent> reader)
        : base(context, reader, query.IsLive)
    {
        Filter = query.Filter;
        FromEnd = query.FromEnd;
        Position = FromEnd > 0 ? long.MaxValue : query.After;
        _pageSize = context.Journal.Options.MaxBufferSize;
    }

    public EventFilter Filter { get; }

    public long Position { get; private set; }

    public int FromEnd { get; private set; }

    PageRequest IOrderedFollower.Request => this;

    string IFollower<IOrderedFollower>.Key => Filter.Tag ?? "";

    public IOrderedFollower? Next { get; set; }

    public IOrderedFollower? Previous { get; set; }

    public bool IsInRound
    {
        get => Has(FeedFlags.InRound);
        set => Set(FeedFlags.InRound, value);
    }

    /// <summary>
    /// How far the query has scanned, if its reader has used up all events; null otherwise. Also null if the database can issue orderings again: what
    /// the query has scanned above the last event is not final then.
    /// </summary>
    internal Scan? Scanned => IsDemanding && IsActive(State) && _pending is null && !Context.Journal.Database.ReusesOrderings
        ? new(State == FeedState.Following ? Math.Max(Position, Followers.Released) : Position, State == FeedState.Following)
        : null;

    internal override string Subject => Filter.ToString();

    private OrderedFollowers Followers => Context.Tail.Ordered;

    private bool MayRead => Limit > Position && !(Has(FeedFlags.StopsAtGap) && Followers.HighWaterMark is null);

    private bool IsSubscribed => _subscribedAt != long.MaxValue;

    // How far the query may read. While the high-water mark is not known, it reads up to the first gap. In two cases it reads nothing then. A
    // statement for a tag leaves rows out, so it cannot see a gap. And if orderings can be issued again, the key history does not exist yet.
    private long Limit => Math.Min(_end, Followers.HighWaterMark ?? (Filter.Tag is null && !Context.Journal.Database.ReusesOrderings ? Followers.HighestSeen : Position));

    public OrderedRequest CreateRequest()
    {
        Set(FeedFlags.Rewound, false);
        return new(Filter, Position, Math.Max(Position, Limit), _pageSize) { StopsAtGap = Followers.HighWaterMark is null };
    }

    public void Accept(OrderedResult result)
    {
        PageAnswered();
        if (State != FeedState.CatchingUp || Has(FeedFlags.Rewound))
            Drop(result);
        else if (IsDemanding)
            Take(result);
        else
            _ahead!.Result = result;
    }

    private void Take(OrderedResult result)
    {
        _ahead = null;
        Position = result.UpTo;
        Set(FeedFlags.StopsAtGap, result.StoppedAtGap);
        _pageSize = PageGrowth.After(_pageSize, result, Context.Journal.Options);
        if (_pending?.DropUpTo(Position, Context.Budget) == 0)
            _pending = null;
        // The query has all events that existed when the page was started. While others write, newer events always exist, so subscribe now.
        if (!result.MayHaveMore && IsLive && Followers is { CanSubscribe: true, HighWaterMark: not null })
            Subscribe();
        Settle();
        if (result.Page is { } page)
            Deliver(page);
        else
            Advance();
        // Large pages show that the reader is in a replay: it will demand the next page, too.
        if (result.MayHaveMore && result.Page?.Count > Context.Journal.Options.MaxBufferSize)
            ReadOn();
    }

    public void Accept(FromEndResult result)
    {
        PageAnswered();
        Position = result.Lowest;
        FromEnd -= result.Count;
        if (FromEnd > 0 && Position > 0)
        {
            RequestPage();
            return;
        }
        FromEnd = 0;
        Position = Math.Max(0, Position - 1);
        SetState(FeedState.CatchingUp);
        Advance();
    }

    /// <summary>Can be called from any thread.</summary>
    public void ReportScanned(TaskCompletionSource<Scan?> answer) => Context.Journal.Loop.Post(_ => answer.SetResult(Scanned), this);

    public bool Offer(JournalEvent row, int slice)
    {
        if (row.Ordering <= Math.Max(Position, _subscribedAt) || row.Ordering <= _pending?.Last || !Filter.Slices.Contains(slice))
            return false;
        if (!HasRoomFor(row))
        {
            Lag();
            return false;
        }
        if (_pending is null)
            HoldPending();
        (_pending ??= new()).Add(row);
        Context.Budget.Reserve(row.Bytes);
        if (State == FeedState.Following)
            Position = row.Ordering;
        return true;
    }

    public void RoundEnded()
    {
        if (State == FeedState.Following)
            Advance();
    }

    public void HighWaterMarkMoved()
    {
        Settle();
        Advance();
    }

    public bool WantsEnd => !IsLive && _end == long.MaxValue;

    public void SetEnd(long end)
    {
        _end = Math.Min(_end, end);
        Settle();
        Advance();
    }

    public void Lag()
    {
        if (State == FeedState.Following)
        {
            // The query has all its events up to the last row that it took, and up to the last row that the tail has released.
            Position = Math.Max(Position, Followers.Released);
            Unsubscribe();
            SetState(FeedState.CatchingUp);
        }
        else
        {
            Unsubscribe();
            DropPending();
        }
        Advance();
    }

    public void RewindTo(long to)
    {
        if (State is not (FeedState.CatchingUp or FeedState.Following))
            return;
        DropPending();
        Unsubscribe();
        Position = Math.Min(Position, to);
        if (_end != long.MaxValue)
            _end = Math.Min(_end, to);
        SetState(FeedState.CatchingUp);
        Set(FeedFlags.StopsAtGap, false);
        // A statement that is running may return rows from before or after the rewind.
        Set(FeedFlags.Rewound, AwaitsPage);
        Advance();
    }

    // Search the beginning before the journal's end. Otherwise a current query would miss events written between the two.
    private protected override FeedState Open()
    {
        if (FromEnd == 0)
            return FeedState.CatchingUp;
        RequestPage();
        return FeedState.New;
    }

    private protected override Page<JournalEvent>? TakePending()
    {
        // Before the query follows, its pending events come after events that it still has to read.
        if (_pending is null || (IsSubscribed && State != FeedState.Following))
            return null;
        var page = _pending.ToPage();
        _pending = null;
        return page;
    }

    private protected override void CatchUp()
    {
        if (AwaitsPage)
            return;
        if (_ahead?.Result is { } read)
        {
            Take(read);
            return;
        }
        if (MayRead)
        {
            RequestPage();
            return;
        }
        Settle();
        if (State == FeedState.CatchingUp)
            Followers.NotifyWhenMoved(this);
        else
            Advance();
    }

    private protected override void GoBackTo(JournalEvent last)
    {
        DropPending();
        Unsubscribe();
        // After a rewind, the position may be below the reader's last event. The query must then read the new events that have these orderings.
        Position = Math.Min(Position, last.Ordering);
        Set(FeedFlags.StopsAtGap, false);
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void DropPending()
    {
        if (_ahead is { } ahead)
        {
            _ahead = null;
            ahead.Drop(Context);
            PageAnswered();
        }
        if (_pending is not { } pending)
            return;
        _pending = null;
        Context.Budget.Release(pending.Bytes);
        if (State == FeedState.Following || !IsSubscribed)
            Position = Math.Min(Position, pending.FirstOrdering - 1);
        Unsubscribe();
        if (State == FeedState.Following)
            SetState(FeedState.CatchingUp);
    }

    private protected override void Moved(FeedState from)
    {
        var (was, isNow) = (IsActive(from), IsActive(State));
        if (isNow && !was)
            Context.Tail.Follow(this);
        if (!was || isNow)
            return;
        Unsubscribe();
        Context.Tail.Unfollow(this);
    }

    private static bool IsActive(FeedState state) => state is FeedState.CatchingUp or FeedState.Following;

    // If the budget is exhausted, the query reads a page instead, and the page scheduler reclaims idle pages for it. Before the query follows, it must
    // read a page before its pending events. They must leave room for that page, because nothing else can free their memory.
    private bool HasRoomFor(JournalEvent row)
    {
        var isFree = State == FeedState.Following ? !Context.Budget.IsExhausted : Context.Budget.Used + row.Bytes <= Context.Budget.Limit / 2;
        // The reader's page does not count. It may be large, and then a query that catches up while others write would never follow.
        return isFree && (_pending?.Count ?? 0) < Context.Journal.Options.MaxBufferSize;
    }

    // Ends or follows when the query has read far enough.
    private void Settle()
    {
        if (State != FeedState.CatchingUp || AwaitsPage || _ahead is not null)
            return;
        if (!IsLive && Position >= _end)
            SetState(FeedState.AtEnd);
        else if (IsLive && Followers.CanSubscribe && Position >= HandOver)
            Follow();
    }

    // Events above the subscription are already pending when the high-water mark passes them. The query does not need to read them.
    private long? HandOver => IsSubscribed ? _subscribedAt : Followers.HighWaterMark;

    private void Follow()
    {
        Subscribe();
        if (Position < _subscribedAt)
            return;
        Position = Math.Max(Position, _pending?.Last ?? 0);
        SetState(FeedState.Following);
    }

    private void Subscribe()
    {
        if (!IsSubscribed)
            _subscribedAt = Followers.Subscribe(this);
    }

    private void Unsubscribe()
    {
        if (!IsSubscribed)
            return;
        _subscribedAt = long.MaxValue;
        Followers.Unsubscribe(this);
    }

    // A page that no reader waits for must not take the memory of others.
    private void ReadOn()
    {
        if (State == FeedState.CatchingUp && !IsDemanding && MayRead && Context.Budget.Used < Context.Budget.Limit / 2)
            RequestPage(_ahead = new(this));
    }

    private void Drop(OrderedResult result)
    {
        Set(FeedFlags.Rewound, false);
        Context.Budget.Release(result.Page?.Bytes ?? 0);
        Advance();
    }
}

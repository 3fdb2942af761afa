using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query in the order of the journal: all events, those with a tag, those of some slices. It reads pages up to the high-water mark, never past it.
/// A live one then subscribes to the tail, reads what was seen before that, and follows; one that reads what is there now completes
/// once it has read up to where the journal ended when it began.
/// </summary>
internal sealed class OrderedFeed : EventFeed, IOrderedPageRequest, IOrderedFollower, IScanningFeed
{
    // Pages that come full grow to this: fewer statements, and still little beside what the readers of a journal may hold.
    private const long LargePage = 1024 * 1024;

    // Longer arrays are among the large objects, which only the most expensive collections clear.
    private const int MostRows = 8192;

    // The ordering at which a current query ends; not known at first. A live query has none.
    private long _end = long.MaxValue;

    // The tail delivers rows above this. MaxValue means not subscribed.
    private long _subscribedAt = long.MaxValue;

    private PendingEvents? _pending;
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

    /// <summary>How far it has scanned for a reader that has used up all it was given; null otherwise, and where numbers come again: what is above them is not final.</summary>
    internal Scan? Scanned => IsDemanding && IsActive(State) && _pending is null && !Context.Journal.Database.ReusesOrderings
        ? new(State == FeedState.Following ? Math.Max(Position, Followers.Released) : Position, State == FeedState.Following)
        : null;

    internal override string Subject => Filter.ToString();

    private OrderedFollowers Followers => Context.Tail.Ordered;

    private bool IsSubscribed => _subscribedAt != long.MaxValue;

    // How far it may read. Where the high-water mark is not known, up to the first gap; a statement that leaves rows out cannot see one, and where numbers
    // are issued again, nobody remembers yet what stood there.
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
        {
            Drop(result);
            return;
        }
        Position = result.UpTo;
        Set(FeedFlags.StopsAtGap, result.StoppedAtGap);
        Resize(result);
        if (_pending?.DropUpTo(Position, Context.Budget) == 0)
            _pending = null;
        // It has all that there was when the page was started. While others write, there will always be more by now.
        if (!result.MayHaveMore && IsLive && Followers is { CanSubscribe: true, HighWaterMark: not null })
            Subscribe();
        Settle();
        if (result.Page is { } page)
            Deliver(page);
        else
            Advance();
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

    /// <summary>Reports how far it has scanned; from any thread.</summary>
    public void ReportScanned(TaskCompletionSource<Scan?> answer) => Context.Journal.Loop.Post(
        static state =>
        {
            var (feed, answer) = ((OrderedFeed, TaskCompletionSource<Scan?>))state;
            answer.SetResult(feed.Scanned);
        },
        (this, answer));

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
            // All up to the last row that it was offered or that the tail delivered, it has.
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
        // What a statement reads meanwhile may be of before or after.
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
        // Before it follows, what the tail brought comes behind what it has yet to read.
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
        var waitsForHighWaterMark = Has(FeedFlags.StopsAtGap) && Followers.HighWaterMark is null;
        if (Limit > Position && !waitsForHighWaterMark)
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
        // After a rewind it has to read again what came in the place of what the reader has.
        Position = Math.Min(Position, last.Ordering);
        Set(FeedFlags.StopsAtGap, false);
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void DropPending()
    {
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

    // Where the budget is exhausted, it reads a page, and the page scheduler reclaims room for that. What is pending before that page has to leave it room:
    // nobody else could make it.
    private bool HasRoomFor(JournalEvent row)
    {
        var isFree = State == FeedState.Following ? !Context.Budget.IsExhausted : Context.Budget.Used + row.Bytes <= Context.Budget.Limit / 2;
        // Beside the page that the reader is in, which may be a large one: without that, one that catches up in large pages while others write
        // would never come to follow.
        return isFree && (_pending?.Count ?? 0) < Context.Journal.Options.MaxBufferSize;
    }

    // It has read up to the high-water mark: it ends there, or follows.
    private void Settle()
    {
        if (State != FeedState.CatchingUp || AwaitsPage)
            return;
        if (!IsLive && Position >= _end)
            SetState(FeedState.AtEnd);
        else if (IsLive && Followers.CanSubscribe && Position >= HandOver)
            Follow();
    }

    // What the high-water mark has passed above the subscription is pending already: no need to read after it.
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

    private void Drop(OrderedResult result)
    {
        Set(FeedFlags.Rewound, false);
        Context.Budget.Release(result.Page?.Bytes ?? 0);
        Advance();
    }

    private void Resize(OrderedResult result)
    {
        var options = Context.Journal.Options;
        var size = !result.MayHaveMore ? options.MaxBufferSize
            : result.Page?.Bytes > LargePage ? _pageSize / 2
            : result.Page?.Count >= _pageSize && result.Page.Bytes < LargePage / 2 ? 2 * _pageSize
            : _pageSize;
        _pageSize = Math.Max(options.MaxBufferSize, Math.Min(size, Math.Min(options.MaxRowsPerStatement, MostRows)));
    }
}

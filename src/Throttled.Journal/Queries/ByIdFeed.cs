using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query by persistence id. It reads pages until it has caught up. A live query then follows the tail, and reads pages again when it has missed
/// an event.
/// </summary>
internal sealed class ByIdFeed : EventFeed, IByIdPageRequest, IByIdFollower
{
    private readonly long _to;

    // The first sequence number that is neither delivered nor pending.
    private long _next;

    // The highest sequence number that the tail has reported since the last page request was created; long.MinValue if there is none.
    private long _seen = long.MinValue;

    private PendingEvents? _pending;
    private int _pageEpoch;

    internal ByIdFeed(FeedContext context, ByIdQuery query, IPageReader<JournalEvent> reader)
        : base(context, reader, query.IsLive)
    {
        _to = query.Range.To;
        // Sequence numbers begin at 1. For a query from 0 on, event 1 is therefore the next event, not an event after a gap.
        _next = Math.Max(query.Range.From, Math.Min(1, _to));
        PersistenceId = query.PersistenceId;
    }

    internal string PersistenceId { get; }

    internal override string Subject => $"the events of '{PersistenceId}'";

    string IFollower<IByIdFollower>.Key => PersistenceId;

    public IByIdFollower? Next { get; set; }

    public IByIdFollower? Previous { get; set; }

    public bool IsInRound
    {
        get => Has(FeedFlags.InRound);
        set => Set(FeedFlags.InRound, value);
    }

    public ByIdRequest CreateRequest()
    {
        if (Has(FeedFlags.ChecksForEnd))
            return new(PersistenceId, new(_to, long.MaxValue), 1);
        _seen = long.MinValue;
        var epoch = Context.Tail.SettledEpoch;
        // If the tail has settled again since the last page, the check for the end is not valid: a row may have been committed between that check and
        // the start of the tail.
        if (epoch != _pageEpoch)
            Set(FeedFlags.CheckedForEnd, false);
        _pageEpoch = epoch;
        return new(PersistenceId, new(_next, _to), Context.Journal.Options.MaxBufferSize);
    }

    public void Accept(ByIdResult result)
    {
        PageAnswered();
        if (Has(FeedFlags.ChecksForEnd))
        {
            EndChecked(result);
            return;
        }
        if (result.LastRow >= _to)
            SetState(FeedState.AtEnd);
        else
        {
            _next = result.LastRow + 1 ?? _next;
            if (!result.MayHaveMore)
                CaughtUp();
        }
        if (result.Page is { } page)
            Deliver(page);
        else
            Advance();
    }

    public bool Observe(long sequenceNumber)
    {
        Set(FeedFlags.EndSeen, Has(FeedFlags.EndSeen) || sequenceNumber >= _to);
        if (sequenceNumber < _next || sequenceNumber <= _seen)
            return false;
        var isNext = sequenceNumber == Math.Max(_next, _seen + 1) && sequenceNumber <= _to;
        _seen = sequenceNumber;
        if (State == FeedState.Following && isNext && HasRoom)
            return true;
        ReadAgain();
        return false;
    }

    public void Offer(JournalEvent row)
    {
        if (State != FeedState.Following || row.SequenceNumber != _next || !HasRoom)
            return;
        if (_pending is null)
            HoldPending();
        (_pending ??= new()).Add(row);
        Context.Budget.Reserve(row.Bytes);
        _next++;
    }

    public void ForgetEnd()
    {
        Set(FeedFlags.EndSeen, false);
        Set(FeedFlags.CheckedForEnd, false);
    }

    public void RoundEnded()
    {
        if (State != FeedState.Following)
            return;
        if (_next > _to)
            SetState(FeedState.AtEnd);
        else if (_seen >= _next)
            ReadAgain();
        Advance();
    }

    public void ReadAgain()
    {
        if (State == FeedState.Following)
            SetState(FeedState.CatchingUp);
        Advance();
    }

    // If the byte budget is exhausted, the query reads a page instead. The page scheduler reclaims idle pages for it.
    private bool HasRoom => !Context.Budget.IsExhausted && HasRoomBeside(_pending?.Count ?? 0);

    private protected override FeedState Open() => _next > _to ? FeedState.AtEnd : FeedState.CatchingUp;

    private protected override Page<JournalEvent>? TakePending()
    {
        var page = _pending?.ToPage();
        _pending = null;
        return page;
    }

    private protected override void CatchUp() => RequestPage();

    private void CaughtUp()
    {
        if (_seen >= _next)
            return;
        if (!IsLive || Has(FeedFlags.EndSeen))
            SetState(FeedState.AtEnd);
        else if (_to != long.MaxValue && !Has(FeedFlags.CheckedForEnd))
            Set(FeedFlags.ChecksForEnd, true);
        else
            Follow();
    }

    // A page that was requested before the current start of the tail had settled may have missed events below that start. The query then reads one
    // more page.
    private void Follow()
    {
        var settled = Context.Tail.SettledEpoch;
        if (settled != 0 && settled != _pageEpoch)
            return;
        SetState(FeedState.Following);
        if (settled == 0)
            Context.Tail.NotifyWhenSettled(this);
    }

    // If a row at or above the end of the range exists, events before it may have been committed since the last page. One more page reads them.
    private void EndChecked(ByIdResult result)
    {
        Set(FeedFlags.ChecksForEnd, false);
        Set(FeedFlags.CheckedForEnd, true);
        if (result.LastRow is not null)
            Set(FeedFlags.EndSeen, true);
        else
            CaughtUp();
        Context.Budget.Release(result.Page?.Bytes ?? 0);
        Advance();
    }

    private protected override void GoBackTo(JournalEvent last)
    {
        DropPending();
        Set(FeedFlags.ChecksForEnd, false);
        _next = last.SequenceNumber + 1;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void DropPending()
    {
        if (_pending is not { } pending)
            return;
        _pending = null;
        Context.Budget.Release(pending.Bytes);
        _next = pending.First;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void Moved(FeedState from)
    {
        var (was, isNow) = (IsFollower(from), IsFollower(State));
        if (was && !isNow)
            Context.Tail.Unfollow(this);
        else if (isNow && !was)
            Context.Tail.Follow(this);
    }

    private bool IsFollower(FeedState state) => IsLive && state is FeedState.CatchingUp or FeedState.Following;
}

using Throttled.Journal.Pages;
using Throttled.Journal.Sql;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query by persistence id. It reads pages until it has caught up; a live one then follows the tail, and goes back to
/// pages whenever it missed something.
/// </summary>
internal sealed class ByIdFeed : EventFeed, IByIdRequest, IByIdFollower
{
    private readonly long _to;

    // The first sequence number that is neither with the reader nor among its pending events.
    private long _next;

    // The highest sequence number that the tail notified of since the last page was started; below all where there is none.
    private long _seen = long.MinValue;

    private ArrivedEvents? _arrived;
    private int _pageEpoch;

    internal ByIdFeed(FeedParts parts, ByIdQuery query, IPageReader<JournalEvent> reader)
        : base(parts, reader, query.IsLive)
    {
        _to = query.Range.To;
        // Sequence numbers begin at 1: the first event of an id that was empty is the next one also for who asked from 0.
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

    public PageAsk Start()
    {
        if (Has(FeedFlags.LooksForEnd))
            return new(PersistenceId, new(_to, long.MaxValue), 1);
        _seen = long.MinValue;
        var epoch = Parts.Tail.SettledEpoch;
        // What was searched before the tail settled may have been committed between the search and where the tail follows from.
        if (epoch != _pageEpoch)
            Set(FeedFlags.LookedForEnd, false);
        _pageEpoch = epoch;
        return new(PersistenceId, new(_next, _to), Parts.Context.Options.MaxBufferSize);
    }

    public void Read(PageRead read)
    {
        LeftGate();
        if (Has(FeedFlags.LooksForEnd))
        {
            LookedForEnd(read);
            return;
        }
        if (read.LastRow >= _to)
            SetState(FeedState.AtEnd);
        else
        {
            _next = read.LastRow + 1 ?? _next;
            if (!read.MoreMayFollow)
                CaughtUp();
        }
        if (read.Page is { } page)
            Give(page);
        else
            Advance();
    }

    public bool Saw(long sequenceNumber)
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
        if (_arrived is null)
            HoldArrived();
        (_arrived ??= new()).Add(row);
        Parts.Budget.Take(row.Bytes);
        _next++;
    }

    public void ForgetEnd()
    {
        Set(FeedFlags.EndSeen, false);
        Set(FeedFlags.LookedForEnd, false);
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

    // Where the budget is exhausted, it reads a page, and the page scheduler reclaims room for that.
    private bool HasRoom => !Parts.Budget.IsSpent && HasRoomBeside(_arrived?.Count ?? 0);

    private protected override FeedState Open() => _next > _to ? FeedState.AtEnd : FeedState.CatchingUp;

    private protected override Page<JournalEvent>? TakeArrived()
    {
        var page = _arrived?.ToPage();
        _arrived = null;
        return page;
    }

    private protected override void CatchUp() => GoToGate();

    private void CaughtUp()
    {
        if (_seen >= _next)
            return;
        if (!IsLive || Has(FeedFlags.EndSeen))
            SetState(FeedState.AtEnd);
        else if (_to != long.MaxValue && !Has(FeedFlags.LookedForEnd))
            Set(FeedFlags.LooksForEnd, true);
        else
            Follow();
    }

    // A page that was started before the tail had settled on where it follows from may have missed what the tail then passed.
    private void Follow()
    {
        var settled = Parts.Tail.SettledEpoch;
        if (settled != 0 && settled != _pageEpoch)
            return;
        SetState(FeedState.Following);
        if (settled == 0)
            Parts.Tail.TellWhenSettled(this);
    }

    // Where there is such a row, what stands before it may have been committed since the last page: one more page shows it.
    private void LookedForEnd(PageRead read)
    {
        Set(FeedFlags.LooksForEnd, false);
        Set(FeedFlags.LookedForEnd, true);
        if (read.LastRow is not null)
            Set(FeedFlags.EndSeen, true);
        else
            CaughtUp();
        Parts.Budget.Return(read.Page?.Bytes ?? 0);
        Advance();
    }

    private protected override void GoBackTo(JournalEvent last)
    {
        DropArrived();
        Set(FeedFlags.LooksForEnd, false);
        _next = last.SequenceNumber + 1;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void DropArrived()
    {
        if (_arrived is not { } arrived)
            return;
        _arrived = null;
        Parts.Budget.Return(arrived.Bytes);
        _next = arrived.First;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private protected override void Moved(FeedState from)
    {
        var (was, isNow) = (IsFollower(from), IsFollower(State));
        if (was && !isNow)
            Parts.Tail.Unfollow(this);
        else if (isNow && !was)
            Parts.Tail.Follow(this);
    }

    private bool IsFollower(FeedState state) => IsLive && state is FeedState.CatchingUp or FeedState.Following;
}

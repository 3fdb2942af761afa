using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query by persistence id. It reads pages until it has caught up; a live one then follows the tail, and goes back to
/// pages whenever it missed something. Readers call <see cref="Demand"/>, <see cref="DemandFrom"/> and <see cref="Close"/> from
/// any thread; all else runs on the loop. There may be hundreds of thousands, so every field counts.
/// </summary>
internal sealed class JournalFeed : PageRequest
{
    private readonly FeedParts _parts;
    private readonly IPageReader _reader;
    private readonly long _to;

    // The first sequence number that is neither with the reader nor in what has arrived for it.
    private long _next;

    // The highest sequence number that the tail told of since the last page was started; below all where there is none.
    private long _seen = long.MinValue;

    private JournalPage? _held;
    private ArrivedEvents? _arrived;
    private Exception? _failure;
    private int _pageEpoch;
    private FeedFlags _flags;

    internal JournalFeed(FeedParts parts, ByIdQuery query, IPageReader reader)
    {
        _parts = parts;
        _reader = reader;
        _to = query.Range.To;
        // Sequence numbers begin at 1: the first event of an id that was empty is the next one also for who asked from 0.
        _next = Math.Max(query.Range.From, Math.Min(1, _to));
        PersistenceId = query.PersistenceId;
        _flags = query.IsLive ? FeedFlags.Live : FeedFlags.None;
    }

    internal string PersistenceId { get; }

    internal FeedState State { get; private set; }

    internal override bool IsLive => Has(FeedFlags.Live);

    /// <summary>Whether the tail has it on the list of those that it tells when the rows of a round are there. The tail's own.</summary>
    internal bool IsInRound
    {
        get => Has(FeedFlags.InRound);
        set => Set(FeedFlags.InRound, value);
    }

    /// <summary>The neighbours among the followers of the same persistence id; the tail's own.</summary>
    internal JournalFeed? NextFollower { get; set; }

    /// <inheritdoc cref="NextFollower"/>
    internal JournalFeed? PreviousFollower { get; set; }

    /// <summary>The reader has used up what it had and wants an answer: a page, the end or a failure. One demand at a time.</summary>
    internal void Demand() => _parts.Context.Loop.Post(static self => ((JournalFeed)self).OnDemand(), this);

    /// <summary>As <see cref="Demand"/>, where the reader's page was forgotten before it came to its end.</summary>
    /// <param name="next">The first sequence number that it has not read.</param>
    internal void DemandFrom(long next) => _parts.Context.Loop.Post(
        static state =>
        {
            var (feed, next) = ((JournalFeed, long))state;
            feed.GoBackTo(next);
            feed.OnDemand();
        },
        (this, next));

    /// <summary>The reader leaves; a demand that was not answered is answered with this. Harmless when done twice.</summary>
    /// <param name="failure">What to answer; null for the end.</param>
    internal void Close(Exception? failure = null) => _parts.Context.Loop.Post(
        static state =>
        {
            var (feed, failure) = ((JournalFeed, Exception?))state;
            feed.End(failure);
        },
        (this, failure));

    internal override PageAsk Start()
    {
        if (Has(FeedFlags.LooksForEnd))
            return new(PersistenceId, new(_to, long.MaxValue), 1);
        _seen = long.MinValue;
        var epoch = _parts.Tail.SettledEpoch;
        // What was looked for before the tail settled may have been committed between the look and where the tail follows from.
        if (epoch != _pageEpoch)
            Set(FeedFlags.LookedForEnd, false);
        _pageEpoch = epoch;
        return new(PersistenceId, new(_next, _to), _parts.Context.Options.MaxBufferSize);
    }

    internal override void Read(PageRead read)
    {
        Set(FeedFlags.AtGate, false);
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

    internal override void Fail(Exception error)
    {
        Set(FeedFlags.AtGate, false);
        End(error);
    }

    /// <summary>
    /// The tail saw a key of this persistence id, later than all that it told of before or filling a gap.
    /// </summary>
    /// <returns>Whether the feed wants the row.</returns>
    internal bool Saw(long sequenceNumber)
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

    /// <summary>The tail has a row of this persistence id, in the order of their sequence numbers. Rows that do not fit are missed.</summary>
    internal void Offer(JournalEvent row)
    {
        if (State != FeedState.Following || row.SequenceNumber != _next || !HasRoom)
            return;
        if (_arrived is null && _held is null && !Has(FeedFlags.Demanding))
            _parts.Held.Add(this);
        (_arrived ??= new()).Add(row);
        _parts.Budget.Take(row.Bytes);
        _next++;
    }

    /// <summary>All rows of this round that could be had were offered.</summary>
    internal void RoundEnded()
    {
        if (State != FeedState.Following)
            return;
        if (_next > _to)
            SetState(FeedState.AtEnd);
        else if (_seen >= _next)
            ReadAgain();
        Advance();
    }

    /// <summary>Whatever it was following, it may have missed something: it reads a page.</summary>
    internal void ReadAgain()
    {
        if (State == FeedState.Following)
            SetState(FeedState.CatchingUp);
        Advance();
    }

    internal override void Forget()
    {
        _held?.Forget();
        Release();
        DropArrived();
    }

    /// <summary>The journal is closing, or the reader left.</summary>
    internal void End(Exception? failure)
    {
        if (State == FeedState.Closed)
            return;
        _parts.Gate.Leave(this);
        Release();
        DropArrived();
        SetState(FeedState.Closed);
        _failure = failure;
        if (Has(FeedFlags.Demanding))
            Answer();
    }

    // Where the budget is spent, it reads a page, and the gate makes room for that.
    private bool HasRoom =>
        !_parts.Budget.IsSpent && (_arrived is null || _arrived.Count < _parts.Context.Options.MaxBufferSize);

    private bool IsFollower => IsLive && State is FeedState.CatchingUp or FeedState.Following;

    private void OnDemand()
    {
        Release();
        Set(FeedFlags.Demanding, true);
        if (_parts.Closed is { } closed && State is not (FeedState.AtEnd or FeedState.Closed))
            End(closed());
        if (State == FeedState.New)
            SetState(_next > _to ? FeedState.AtEnd : FeedState.CatchingUp);
        Advance();
    }

    // Gives the reader what there is, or goes for it.
    private void Advance()
    {
        if (!Has(FeedFlags.Demanding))
            return;
        if (_arrived is { } arrived)
        {
            _arrived = null;
            Give(arrived.ToPage());
        }
        else if (State is FeedState.AtEnd or FeedState.Closed)
            Answer();
        else if (State == FeedState.CatchingUp && !Has(FeedFlags.AtGate))
        {
            Set(FeedFlags.AtGate, true);
            _parts.Gate.Join(this);
        }
    }

    private void Give(JournalPage page)
    {
        Set(FeedFlags.Demanding, false);
        _held = page;
        _parts.Held.Add(this);
        _parts.Context.Metrics.PageGiven(page.Count);
        _reader.Receive(page);
    }

    private void Answer()
    {
        Set(FeedFlags.Demanding, false);
        if (_failure is { } failure)
            _reader.Fail(failure);
        else
            _reader.Complete();
        _failure = null;
    }

    private void Release()
    {
        _parts.Held.Remove(this);
        if (_held is null)
            return;
        _parts.Budget.Return(_held.Bytes);
        _held = null;
    }

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
        var settled = _parts.Tail.SettledEpoch;
        if (settled != 0 && settled != _pageEpoch)
            return;
        SetState(FeedState.Following);
        if (settled == 0)
            _parts.Tail.TellWhenSettled(this);
    }

    // Where there is such a row, what stands before it may have been committed since the last page: one more page tells.
    private void LookedForEnd(PageRead read)
    {
        Set(FeedFlags.LooksForEnd, false);
        Set(FeedFlags.LookedForEnd, true);
        if (read.LastRow is not null)
            Set(FeedFlags.EndSeen, true);
        else
            CaughtUp();
        _parts.Budget.Return(read.Page?.Bytes ?? 0);
        Advance();
    }

    private void GoBackTo(long next)
    {
        DropArrived();
        Set(FeedFlags.LooksForEnd, false);
        _next = next;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private void DropArrived()
    {
        if (_arrived is not { } arrived)
            return;
        _arrived = null;
        _parts.Budget.Return(arrived.Bytes);
        _next = arrived.First;
        if (State is FeedState.Following or FeedState.AtEnd)
            SetState(FeedState.CatchingUp);
    }

    private void SetState(FeedState state)
    {
        var (was, lagged, followed) = (IsFollower, IsLagging, State == FeedState.Following);
        State = state;
        _parts.Gauges.AddFollowing((state == FeedState.Following ? 1 : 0) - (followed ? 1 : 0));
        _parts.Gauges.AddLagging((IsLagging ? 1 : 0) - (lagged ? 1 : 0));
        if (IsFollower == was)
            return;
        if (was)
            _parts.Tail.Unfollow(this);
        else
            _parts.Tail.Follow(this);
    }

    private bool IsLagging => IsLive && State == FeedState.CatchingUp;

    private bool Has(FeedFlags flag) => (_flags & flag) != 0;

    private void Set(FeedFlags flag, bool value) => _flags = value ? _flags | flag : _flags & ~flag;
}

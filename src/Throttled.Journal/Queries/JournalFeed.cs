using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query and its conversation with its reader: each demand is answered by a page, the end or a failure. Readers call
/// <see cref="Demand"/>, <see cref="DemandAfter"/> and <see cref="Close"/> from any thread; all else runs on the loop. There may be
/// hundreds of thousands, so every field counts.
/// </summary>
internal abstract class JournalFeed<T>(FeedParts parts, IPageReader<T> reader, bool isLive) : PageRequest, IFeed<T>
    where T : class
{
    private FeedFlags _flags = isLive ? FeedFlags.Live : FeedFlags.None;
    private Page<T>? _held;
    private Exception? _failure;
    private int _rewinds;

    internal FeedState State { get; private set; }

    internal override bool IsLive => Has(FeedFlags.Live);

    private protected FeedParts Parts => parts;

    private protected bool IsDemanding => Has(FeedFlags.Demanding);

    /// <summary>Whether it waits for a page, or a statement reads for it.</summary>
    private protected bool IsAtGate => Has(FeedFlags.AtGate);

    public void Demand() => parts.Context.Loop.Post(static self => ((JournalFeed<T>)self).OnDemand(), this);

    public void DemandAfter(T last) => parts.Context.Loop.Post(
        static state =>
        {
            var (feed, last) = ((JournalFeed<T>, T))state;
            feed.GoBackTo(last);
            feed.OnDemand();
        },
        (this, last));

    public void Close(Exception? failure = null) => parts.Context.Loop.Post(
        static state =>
        {
            var (feed, failure) = ((JournalFeed<T>, Exception?))state;
            feed.End(failure);
        },
        (this, failure));

    /// <summary>The journal is closing, or the reader left.</summary>
    public void End(Exception? failure)
    {
        if (State == FeedState.Closed)
            return;
        parts.Gate.Leave(this);
        Release();
        DropArrived();
        SetState(FeedState.Closed);
        _failure = failure;
        if (IsDemanding)
            Answer();
    }

    internal override void Fail(Func<Exception> error)
    {
        LeftGate();
        End(error());
    }

    internal override void Forget()
    {
        _held?.Forget();
        Release();
        DropArrived();
    }

    /// <summary>The first demand: where it begins.</summary>
    private protected abstract FeedState Open();

    /// <summary>What is pending and can be delivered now; null where that is nothing.</summary>
    private protected abstract Page<T>? TakeArrived();

    /// <summary>There is a demand and the feed catches up: goes for a page.</summary>
    private protected abstract void CatchUp();

    /// <summary>The reader has read no further than this, whatever it was given.</summary>
    private protected abstract void GoBackTo(T last);

    /// <summary>Drops what is pending and was not delivered.</summary>
    private protected abstract void DropArrived();

    /// <summary>The feed went from one state to another.</summary>
    private protected abstract void Moved(FeedState from);

    /// <summary>Whether the feed may keep one more, beside so many that it keeps and those that its reader has not finished.</summary>
    private protected bool HasRoomBeside(int kept) => kept + (_held?.Count ?? 0) < parts.Context.Options.MaxBufferSize;

    /// <summary>Requests a page, once.</summary>
    private protected void GoToGate()
    {
        if (IsAtGate)
            return;
        Set(FeedFlags.AtGate, true);
        parts.Gate.Join(this);
    }

    /// <summary>The page scheduler has answered.</summary>
    private protected void LeftGate() => Set(FeedFlags.AtGate, false);

    /// <summary>Answers the demand.</summary>
    private protected virtual void Give(Page<T> page)
    {
        Set(FeedFlags.Demanding, false);
        _held = page;
        page.EndsQuery = State == FeedState.AtEnd;
        parts.Held.Add(this);
        parts.Context.Metrics.PageGiven(page.Count);
        reader.Receive(page);
    }

    /// <summary>Gives the reader what there is, or goes for it; nothing where it has no demand.</summary>
    private protected void Advance()
    {
        if (!IsDemanding)
            return;
        if (TakeArrived() is { } page)
            Give(page);
        else if (State is FeedState.AtEnd or FeedState.Closed)
            Answer();
        else if (State == FeedState.CatchingUp)
            CatchUp();
    }

    /// <summary>Something is pending beside the pages: it may have to be reclaimed where the reader is idle.</summary>
    private protected void HoldArrived()
    {
        if (_held is null && !IsDemanding)
            parts.Held.Add(this);
    }

    private protected void SetState(FeedState state)
    {
        var from = State;
        if (state == from)
            return;
        State = state;
        parts.Gauges.AddFollowing((state == FeedState.Following ? 1 : 0) - (from == FeedState.Following ? 1 : 0));
        if (IsLive)
            parts.Gauges.AddLagging((state == FeedState.CatchingUp ? 1 : 0) - (from == FeedState.CatchingUp ? 1 : 0));
        Moved(from);
        // A reader may want no more than it has: it would never ask, and never learn.
        if (state == FeedState.AtEnd && !IsDemanding && _held is { } last)
            reader.Ended(last);
    }

    private protected bool Has(FeedFlags flag) => (_flags & flag) != 0;

    private protected void Set(FeedFlags flag, bool value) => _flags = value ? _flags | flag : _flags & ~flag;

    private void OnDemand()
    {
        Release();
        Set(FeedFlags.Demanding, true);
        if (parts.Closed is { } closed && State is not (FeedState.AtEnd or FeedState.Closed))
            End(closed());
        if (State == FeedState.New)
        {
            _rewinds = parts.Rewinds;
            SetState(Open());
        }
        else if (_rewinds != parts.Rewinds)
            End(JournalRewoundException.Before(parts.RewoundFrom, parts.Context.Options.Shard));
        Advance();
    }

    private void Answer()
    {
        Set(FeedFlags.Demanding, false);
        if (_failure is { } failure)
            reader.Fail(failure);
        else
            reader.Complete();
        _failure = null;
    }

    private void Release()
    {
        parts.Held.Remove(this);
        if (_held is null)
            return;
        parts.Budget.Return(_held.Bytes);
        _held = null;
    }
}

using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One query and its conversation with its reader: each demand is answered by a page, the end or a failure. Readers call
/// <see cref="Demand"/>, <see cref="DemandAfter"/> and <see cref="Close"/> from any thread; all else runs on the loop. There may be
/// hundreds of thousands, so every field counts.
/// </summary>
internal abstract class JournalFeed<T>(FeedContext context, IPageReader<T> reader, bool isLive) : PageRequest, IFeed<T>
    where T : class
{
    private FeedFlags _flags = isLive ? FeedFlags.Live : FeedFlags.None;
    private Page<T>? _held;
    private Exception? _failure;
    private int _rewinds;

    internal FeedState State { get; private set; }

    internal override bool IsLive => Has(FeedFlags.Live);

    private protected FeedContext Context => context;

    private protected bool IsDemanding => Has(FeedFlags.Demanding);

    /// <summary>Whether it waits for a page, or a statement reads for it.</summary>
    private protected bool AwaitsPage => Has(FeedFlags.AwaitsPage);

    public void Demand() => context.Journal.Loop.Post(static self => ((JournalFeed<T>)self).OnDemand(), this);

    public void DemandAfter(T last) => context.Journal.Loop.Post(
        static state =>
        {
            var (feed, last) = ((JournalFeed<T>, T))state;
            feed.GoBackTo(last);
            feed.OnDemand();
        },
        (this, last));

    public void Close(Exception? failure = null) => context.Journal.Loop.Post(
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
        context.Scheduler.Remove(this);
        Release();
        DropPending();
        SetState(FeedState.Closed);
        _failure = failure;
        if (IsDemanding)
            Answer();
    }

    internal override void Fail(Func<Exception> error)
    {
        PageAnswered();
        End(error());
    }

    internal override void Reclaim()
    {
        _held?.Reclaim();
        Release();
        DropPending();
    }

    /// <summary>The first demand: where it begins.</summary>
    private protected abstract FeedState Open();

    /// <summary>What is pending and can be delivered now; null where that is nothing.</summary>
    private protected abstract Page<T>? TakePending();

    /// <summary>There is a demand and the feed catches up: goes for a page.</summary>
    private protected abstract void CatchUp();

    /// <summary>The reader has read no further than this, whatever it was given.</summary>
    private protected abstract void GoBackTo(T last);

    /// <summary>Drops what is pending and was not delivered.</summary>
    private protected abstract void DropPending();

    /// <summary>The feed went from one state to another.</summary>
    private protected abstract void Moved(FeedState from);

    /// <summary>Whether the feed may keep one more, beside so many that it keeps and those that its reader has not finished.</summary>
    private protected bool HasRoomBeside(int kept) => kept + (_held?.Count ?? 0) < context.Journal.Options.MaxBufferSize;

    /// <summary>Requests a page, once.</summary>
    private protected void RequestPage()
    {
        if (AwaitsPage)
            return;
        Set(FeedFlags.AwaitsPage, true);
        context.Scheduler.Enqueue(this);
    }

    /// <summary>The page scheduler has answered.</summary>
    private protected void PageAnswered() => Set(FeedFlags.AwaitsPage, false);

    /// <summary>Answers the demand.</summary>
    private protected virtual void Deliver(Page<T> page)
    {
        Set(FeedFlags.Demanding, false);
        _held = page;
        page.EndsQuery = State == FeedState.AtEnd;
        context.Held.Add(this);
        context.Journal.Metrics.PageDelivered(page.Count);
        reader.Receive(page);
    }

    /// <summary>Gives the reader what there is, or goes for it; nothing where it has no demand.</summary>
    private protected void Advance()
    {
        if (!IsDemanding)
            return;
        if (TakePending() is { } page)
            Deliver(page);
        else if (State is FeedState.AtEnd or FeedState.Closed)
            Answer();
        else if (State == FeedState.CatchingUp)
            CatchUp();
    }

    /// <summary>Something is pending beside the pages: it may have to be reclaimed where the reader is idle.</summary>
    private protected void HoldPending()
    {
        if (_held is null && !IsDemanding)
            context.Held.Add(this);
    }

    private protected void SetState(FeedState state)
    {
        var from = State;
        if (state == from)
            return;
        State = state;
        context.Gauges.AddFollowing((state == FeedState.Following ? 1 : 0) - (from == FeedState.Following ? 1 : 0));
        if (IsLive)
            context.Gauges.AddLagging((state == FeedState.CatchingUp ? 1 : 0) - (from == FeedState.CatchingUp ? 1 : 0));
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
        if (context.Closed is { } closed && State is not (FeedState.AtEnd or FeedState.Closed))
            End(closed());
        if (State == FeedState.New)
        {
            _rewinds = context.Rewinds;
            SetState(Open());
        }
        else if (_rewinds != context.Rewinds)
            End(JournalRewoundException.Before(context.RewoundFrom, context.Journal.Options.Shard));
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
        context.Held.Remove(this);
        if (_held is null)
            return;
        context.Budget.Release(_held.Bytes);
        _held = null;
    }
}

/// <summary>Where a feed is in its life.</summary>
internal enum FeedState : byte
{
    /// <summary>Nobody has demanded anything of it.</summary>
    New,

    /// <summary>It reads pages.</summary>
    CatchingUp,

    /// <summary>It is at the end of the journal and takes what the tail brings.</summary>
    Following,

    /// <summary>It has all that its range will ever hold; the reader is notified at its next demand.</summary>
    AtEnd,

    /// <summary>Its reader left, or it failed.</summary>
    Closed,
}

/// <summary>What a feed remembers beside its state, in two bytes.</summary>
[Flags]
internal enum FeedFlags : ushort
{
    None = 0,

    /// <summary>The query goes on at the end of the journal.</summary>
    Live = 1,

    /// <summary>The reader waits for an answer.</summary>
    Demanding = 2,

    /// <summary>It waits for a page, or a statement reads for it.</summary>
    AwaitsPage = 4,

    /// <summary>A row at or past the end of its range exists: a page that starts from now on and finds no more is the last.</summary>
    EndSeen = 8,

    /// <summary>Its next page request checks for such a row.</summary>
    ChecksForEnd = 16,

    /// <summary>It has checked for such a row since the tail began; the tail would notify of a later one.</summary>
    CheckedForEnd = 32,

    /// <summary>The tail has noted that it has to be notified when all rows of this round are there.</summary>
    InRound = 64,

    /// <summary>Its last page ended at an ordering that is missing, and it was not known whether that is still to come.</summary>
    StopsAtGap = 128,

    /// <summary>The page that is being read for it may hold what is not there any more.</summary>
    Rewound = 256,
}

/// <summary>What all feeds of a journal work with; one record, so that a feed needs one reference.</summary>
internal sealed record FeedContext(
    JournalContext Journal, PageScheduler Scheduler, JournalTail Tail, HeldPages Held, ByteBudget Budget, JournalGauges Gauges)
{
    /// <summary>What becomes of events whose payload was not read; null where there are none, or they are delivered.</summary>
    internal LargePayloadFilter? LargePayloadFilter { get; } = LargePayloadFilter.Of(Journal);

    /// <summary>Why no more feeds can be opened; null while they can.</summary>
    internal Func<Exception>? Closed { get; set; }

    /// <summary>How often the journal turned out to be another one. Whoever began before must not read on.</summary>
    internal int Rewinds { get; set; }

    /// <summary>The highest ordering that had been read when it last did.</summary>
    internal long RewoundFrom { get; set; }
}

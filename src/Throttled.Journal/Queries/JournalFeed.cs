using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Pages;
using Throttled.Journal.Rows;
using Throttled.Journal.Tail;

namespace Throttled.Journal.Queries;

/// <summary>
/// One run of a query. It answers each demand of its reader with a page, the end or a failure. Readers call <see cref="Demand"/>,
/// <see cref="DemandAfter"/> and <see cref="Close"/> from any thread; everything else runs on the loop. There may be hundreds of thousands of feeds,
/// so every field counts.
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

    private protected bool AwaitsPage => Has(FeedFlags.AwaitsPage);

    public void Demand() => context.Journal.Loop.Post(static self => ((JournalFeed<T>)self).OnDemand(), this);

    public void DemandAfter(T last) => context.Journal.Loop.Post(
        _ =>
        {
            GoBackTo(last);
            OnDemand();
        },
        this);

    public void Close(Exception? failure = null) => context.Journal.Loop.Post(_ => End(failure), this);

    /// <summary>Closes the feed, because the journal closes, the query failed or the reader left. An open demand is answered.</summary>
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

    /// <summary>Called at the first demand. Returns the state in which the feed begins.</summary>
    private protected abstract FeedState Open();

    /// <summary>The pending items that can be delivered now; null if there are none.</summary>
    private protected abstract Page<T>? TakePending();

    /// <summary>Called at a demand while the feed catches up. Requests a page, if there may be something to read.</summary>
    private protected abstract void CatchUp();

    /// <summary>Continues after an item. The reader has read no further, even if more was delivered.</summary>
    private protected abstract void GoBackTo(T last);

    /// <summary>Drops the pending items and continues before them. By default, there are none.</summary>
    private protected virtual void DropPending()
    {
    }

    private protected abstract void Moved(FeedState from);

    /// <summary>Whether the feed may keep one more event in addition to <paramref name="kept"/> events and the reader's page.</summary>
    private protected bool HasRoomBeside(int kept) => kept + (_held?.Count ?? 0) < context.Journal.Options.MaxBufferSize;

    /// <summary>Requests a page, unless a request is already open.</summary>
    private protected void RequestPage() => RequestPage(this);

    private protected void RequestPage(PageRequest request)
    {
        if (AwaitsPage)
            return;
        Set(FeedFlags.AwaitsPage, true);
        context.Scheduler.Enqueue(request);
    }

    private protected void PageAnswered() => Set(FeedFlags.AwaitsPage, false);

    private protected virtual void Deliver(Page<T> page)
    {
        Set(FeedFlags.Demanding, false);
        _held = page;
        page.EndsQuery = State == FeedState.AtEnd;
        context.Held.Add(this);
        context.Journal.Metrics.PageDelivered(page.Count);
        reader.Receive(page);
    }

    /// <summary>Does nothing without a demand. Otherwise delivers pending items or the end, or requests a page.</summary>
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

    /// <summary>Adds the feed to the held pages because of its pending events. They can be reclaimed if the reader is idle.</summary>
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
        context.Gauges.Following += (state == FeedState.Following ? 1 : 0) - (from == FeedState.Following ? 1 : 0);
        if (IsLive)
            context.Gauges.Lagging += (state == FeedState.CatchingUp ? 1 : 0) - (from == FeedState.CatchingUp ? 1 : 0);
        Moved(from);
        // A reader that needs no more events makes no further demand, and so would not get the end.
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

internal enum FeedState : byte
{
    /// <summary>There was no demand yet.</summary>
    New,

    /// <summary>The feed reads pages.</summary>
    CatchingUp,

    /// <summary>The feed is at the end of the journal and gets new events from the tail.</summary>
    Following,

    /// <summary>The feed has read its whole range. The next demand is answered with the end.</summary>
    AtEnd,

    /// <summary>The reader left, the query failed, or the journal was closed.</summary>
    Closed,
}

/// <summary>What a feed stores in addition to its state, in two bytes.</summary>
[Flags]
internal enum FeedFlags : ushort
{
    None = 0,

    /// <summary>The query continues at the end of the journal.</summary>
    Live = 1,

    /// <summary>The reader waits for an answer.</summary>
    Demanding = 2,

    /// <summary>A page request is queued or running.</summary>
    AwaitsPage = 4,

    /// <summary>A row at or above the end of the range exists. If a page that starts from now on finds no more events, it is the last one.</summary>
    EndSeen = 8,

    /// <summary>The next page request checks for a row at or above the end of the range.</summary>
    ChecksForEnd = 16,

    /// <summary>The feed has checked for that row since the tail started. If the row is committed later, the tail reports it.</summary>
    CheckedForEnd = 32,

    /// <summary>The tail notifies the feed at the end of this round.</summary>
    InRound = 64,

    /// <summary>The last page ended at a missing ordering. It was not known whether that ordering could still be committed.</summary>
    StopsAtGap = 128,

    /// <summary>The journal was rewound while a page was being read. The page may contain events that do not exist any more.</summary>
    Rewound = 256,
}

/// <summary>What all feeds of a journal share. It is one record, so a feed needs only one reference.</summary>
internal sealed record FeedContext(JournalContext Journal, PageScheduler Scheduler, JournalTail Tail, HeldPages Held, ByteBudget Budget, JournalGauges Gauges)
{
    /// <summary>Handles events without payload; null if payloads have no limit, or if these events are delivered.</summary>
    internal LargePayloadFilter? LargePayloadFilter { get; } = LargePayloadFilter.Of(Journal);

    /// <summary>Creates the failure of each demand after the journal was closed or had a defect; null before that.</summary>
    internal Func<Exception>? Closed { get; set; }

    /// <summary>How often all queries failed because of a rewind. A feed that began before the last time must not continue.</summary>
    internal int Rewinds { get; set; }

    /// <summary>The highest ordering that was seen before the last of these rewinds.</summary>
    internal long RewoundFrom { get; set; }
}

using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Simulation;

/// <summary>The common part of readers of every kind.</summary>
internal abstract class SimulatedReader<T>(PolledReader<T> reader, ScriptedJournal journal) : ISimulatedReader
    where T : class
{
    private readonly int _rewinds = journal.Rewinds;

    // A reader that begins after a rewind that is not noticed yet may get rows of both journals.
    private bool _isBetween;
    private Exception? _checked;
    private (Page<T>? Page, int Arrived) _kept;

    public bool HasBegun { get; private set; }

    public bool IsRewound { get; set; }

    public bool IsOrphan { get; set; }

    public long BytesHeld => (FeedInsides<T>.HeldOf(reader.Feed)?.Bytes ?? 0) + (reader.Feed.Arrived()?.Bytes ?? 0);

    public bool HoldsUncounted =>
        reader.BytesAtHand > 0 && FeedInsides<T>.HeldOf(reader.Feed) is null && reader.Feed.State != FeedState.Closed;

    public bool HasLostPage => reader.HasLostPage;

    public string Standing => reader.Feed switch
    {
        { State: FeedState.Closed or FeedState.New or FeedState.AtEnd } feed => feed.State.ToString(),
        { Batch.Run: not null } => "a statement reads for it",
        { Batch: not null } => "its statement is to be repeated",
        ILinked<PageRequest> { Queue: not null } feed => FeedInsides<T>.HeldOf(reader.Feed) is null ? "in line" : "in a page",
        { State: FeedState.Following } => reader.IsWaiting ? "following and waiting" : "following and busy",
        _ => "waiting for the head",
    };

    public bool IsPaused { get; set; }

    public bool HasEnded => Reader.HasEnded;

    public bool IsClosed => Reader.IsClosed;

    internal bool IsCancelled { get; private set; }

    protected PolledReader<T> Reader => reader;

    protected ScriptedJournal Journal => journal;

    /// <summary>The journal's count of changes when the reader was opened.</summary>
    protected int OpenedAt { get; } = journal.Changes;

    public bool Step()
    {
        if (!HasBegun)
            BeginNow();
        var had = reader.Items.Count;
        var any = reader.Step();
        if (reader.Items.Count > had && !IsRewound && !_isBetween)
            CheckLast();
        Stepped();
        if (reader.Items.Count > had)
            Delivered?.Invoke(reader.Items[^1]);
        return any;
    }

    /// <summary>Called with each item.</summary>
    internal Action<T>? Delivered { get; set; }

    /// <summary>Whether the database may have refused it with this message.</summary>
    internal required Func<string, bool> MayBeRefused { get; init; }

    public void Cancel()
    {
        IsCancelled = true;
        reader.Cancel();
    }

    public void Close() => reader.Dispose();

    public bool IsSatisfied() =>
        IsOrphan ? HasEnded : reader.Failure is not null || reader.IsClosed || reader.IsCompleted || _isBetween || (!IsRewound && !MustEnd && !MustFail && Missing() is null);

    public void Check()
    {
        if (reader.Failure is not { } failure || failure == _checked)
            return;
        CheckFailure(failure);
        _checked = failure;
    }

    public void CheckRoom(int mostRows)
    {
        var kept = (Page: FeedInsides<T>.HeldOf(reader.Feed), Arrived: reader.Feed.Arrived()?.Count ?? 0);
        // A page that was in flight comes in addition to events that arrived before.
        if (kept.Page == _kept.Page && kept.Arrived > _kept.Arrived)
            Assert.True(kept.Arrived + (CountsPage ? kept.Page?.Count ?? 0 : 0) <= mostRows, "More rows arrived than there is room for beside a page.");
        _kept = kept;
    }

    public void CheckAtEnd()
    {
        Check();
        if (reader.Failure is null && !reader.IsClosed && !IsRewound && !IsOrphan && !_isBetween)
            CheckWhole();
    }

    public override string ToString() =>
        $"{Name}{(IsCancelled ? " cancelled" : "")}{(IsPaused ? " paused" : "")}{(IsRewound ? " rewound" : "")} got [{string.Join(",", reader.Items)}] "
        + $"completed={reader.IsCompleted} waiting={reader.IsWaiting} closed={IsClosed} failure={reader.Failure?.Message} missing={Missing()}";

    /// <summary>The query, for the text of a failure.</summary>
    protected abstract string Name { get; }

    /// <summary>Whether it must end when it has got all its items.</summary>
    protected abstract bool MustEnd { get; }

    /// <summary>Whether it must fail.</summary>
    protected virtual bool MustFail => false;

    /// <summary>Whether it began after a rewind that is not noticed yet.</summary>
    protected bool IsBetween => _isBetween;

    protected virtual void Stepped()
    {
    }

    /// <summary>Called before its first demand.</summary>
    protected abstract void Begin();

    /// <summary>Checks the last item.</summary>
    protected abstract void CheckLast();

    /// <summary>An item that it should have got; null for none.</summary>
    protected abstract object? Missing();

    /// <summary>Whether it may fail because of an unreadable row.</summary>
    protected abstract bool MayFail();

    /// <summary>Whether its current page leaves less room for events from the tail.</summary>
    protected virtual bool CountsPage => false;

    /// <summary>Whether it may fail at an event with a too large payload, because it has got all events before it.</summary>
    protected virtual bool MayFailAt(ScriptedRow large) => false;

    /// <summary>The row with a too large payload that a failure names; null for none.</summary>
    protected virtual ScriptedRow? LargeIn(string message) => null;

    private void BeginNow()
    {
        HasBegun = true;
        _isBetween = journal.IsRewindUnnoticed;
        Begin();
    }

    private void CheckFailure(Exception failure)
    {
        if (failure is OperationCanceledException)
            Assert.True(IsCancelled);
        else if (failure is ObjectDisposedException)
            Assert.True(IsOrphan);
        else if (failure is JournalRewoundException)
            Assert.True(IsRewound || _isBetween || journal.Rewinds > _rewinds);
        else
        {
            Assert.IsType<JournalException>(failure);
            Assert.True(IsRewound || _isBetween || MayBeRefused(failure.Message) || (LargeIn(failure.Message) is { } large ? MayFailAt(large) : MayFail()), failure.ToString());
        }
    }

    private void CheckWhole()
    {
        Assert.False(MustFail, "A query in journal order goes on though a poll refused the order.");
        Assert.Null(Missing());
        Assert.Equal(MustEnd, reader.IsCompleted);
    }
}

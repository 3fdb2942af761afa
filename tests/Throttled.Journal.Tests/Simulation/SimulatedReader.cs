using Throttled.Journal;
using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>What readers of every kind have in common.</summary>
internal abstract class SimulatedReader<T>(PolledReader<T> reader, ScriptedJournal journal) : ISimulatedReader
    where T : class
{
    private readonly int _rewinds = journal.Rewinds;

    // Who begins after a rewind and before anybody has noticed may be given what is of neither journal.
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

    public bool IsAsleep { get; set; }

    public bool HasEnded => Reader.HasEnded;

    public bool IsClosed => Reader.IsClosed;

    internal bool IsCancelled { get; private set; }

    protected PolledReader<T> Reader => reader;

    protected ScriptedJournal Journal => journal;

    /// <summary>When it was opened, in the journal's count of changes.</summary>
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

    /// <summary>Delivered of each item.</summary>
    internal Action<T>? Delivered { get; set; }

    /// <summary>Whether the database may have refused it with such a message.</summary>
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
        // A page that was on its way comes beside what arrived before.
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
        $"{Name}{(IsCancelled ? " cancelled" : "")}{(IsAsleep ? " asleep" : "")}{(IsRewound ? " rewound" : "")} got [{string.Join(",", reader.Items)}] "
        + $"completed={reader.IsCompleted} waiting={reader.IsWaiting} closed={IsClosed} failure={reader.Failure?.Message} missing={Missing()}";

    /// <summary>What it reads, for a failure's text.</summary>
    protected abstract string Name { get; }

    /// <summary>Whether it is to end once it has what is there.</summary>
    protected abstract bool MustEnd { get; }

    /// <summary>Whether it is to fail.</summary>
    protected virtual bool MustFail => false;

    /// <summary>Whether it began after a rewind that nobody has noticed yet.</summary>
    protected bool IsBetween => _isBetween;

    /// <summary>It has taken a step.</summary>
    protected virtual void Stepped()
    {
    }

    /// <summary>Its first demand comes.</summary>
    protected abstract void Begin();

    /// <summary>Checks what came last.</summary>
    protected abstract void CheckLast();

    /// <summary>Something that it should have been given; null where it has all.</summary>
    protected abstract object? Missing();

    /// <summary>Whether it may fail, because nobody can read a row.</summary>
    protected abstract bool MayFail();

    /// <summary>Whether the page that its reader is in leaves less room for what the tail brings.</summary>
    protected virtual bool CountsPage => false;

    /// <summary>Whether it may fail at an event whose payload is too large: it has all that comes before.</summary>
    protected virtual bool MayFailAt(ScriptedRow large) => false;

    /// <summary>An event whose payload was left out, by what a failure says of it; null where it speaks of none.</summary>
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

using Throttled.Journal.Tests.Support;

namespace Throttled.Journal.Tests.Simulation;

/// <summary>What readers of every kind have in common.</summary>
internal abstract class SimulatedReader<T>(PolledReader<T> reader, ScriptedJournal journal) : ISimulatedReader
    where T : class
{
    private readonly int _rewinds = journal.Rewinds;

    // Who begins after a rewind and before anybody has noticed may be given what is of neither journal.
    private bool _isBetween;

    public bool HasBegun { get; private set; }

    public bool IsRewound { get; set; }

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
        return any;
    }

    public void Cancel()
    {
        IsCancelled = true;
        reader.Cancel();
    }

    public void Close() => reader.Dispose();

    public bool IsSatisfied() =>
        reader.Failure is not null || reader.IsClosed || reader.IsCompleted || _isBetween || (!IsRewound && !MustEnd && Missing() is null);

    public void CheckAtEnd()
    {
        if (reader.Failure is { } failure)
            CheckFailure(failure);
        else if (!reader.IsClosed && !IsRewound && !_isBetween)
            CheckWhole();
    }

    public override string ToString() =>
        $"{Name}{(IsCancelled ? " cancelled" : "")}{(IsAsleep ? " asleep" : "")}{(IsRewound ? " rewound" : "")} got [{string.Join(",", reader.Items)}] "
        + $"completed={reader.IsCompleted} waiting={reader.IsWaiting} closed={IsClosed} failure={reader.Failure?.Message} missing={Missing()}";

    /// <summary>What it reads, for a failure's text.</summary>
    protected abstract string Name { get; }

    /// <summary>Whether it is to end once it has what is there.</summary>
    protected abstract bool MustEnd { get; }

    /// <summary>Its first demand comes.</summary>
    protected abstract void Begin();

    /// <summary>Checks what came last.</summary>
    protected abstract void CheckLast();

    /// <summary>Something that it should have been given; null where it has all.</summary>
    protected abstract object? Missing();

    /// <summary>Whether it may fail, because nobody can read a row.</summary>
    protected abstract bool MayFail();

    private void BeginNow()
    {
        HasBegun = true;
        _isBetween = journal.IsRewindNews;
        Begin();
    }

    private void CheckFailure(Exception failure)
    {
        if (failure is OperationCanceledException)
            Assert.True(IsCancelled);
        else if (failure is JournalRewoundException)
            Assert.True(IsRewound || _isBetween || journal.Rewinds > _rewinds);
        else
        {
            Assert.IsType<JournalException>(failure);
            Assert.True(IsRewound || _isBetween || MayFail(), failure.ToString());
        }
    }

    private void CheckWhole()
    {
        Assert.Null(Missing());
        Assert.Equal(MustEnd, reader.IsCompleted);
    }
}

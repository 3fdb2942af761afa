using Throttled.Journal.Queries;
using Throttled.Journal.Tests.Support;

namespace Throttled.Journal.Tests.Simulation;

/// <summary>A reader and what it must have been given.</summary>
internal sealed class SimulatedReader(PolledReader reader, ScriptedJournal journal, SimulatedWriters writers)
{
    private readonly int _openedAt = journal.Changes;
    private List<ScriptedRow>? _atStart;

    internal PolledReader Reader => reader;

    internal ByIdQuery Query => reader.Query;

    internal bool IsCancelled { get; private set; }

    /// <summary>Whether it reads nothing for now.</summary>
    internal bool IsAsleep { get; set; }

    internal long Next => reader.Events.Count == 0 ? Query.Range.From : reader.Events[^1].SequenceNumber + 1;

    internal bool Step()
    {
        _atStart ??= [.. Required()];
        var had = reader.Events.Count;
        var any = reader.Step();
        if (reader.Events.Count > had)
            CheckLast();
        return any;
    }

    internal void Cancel()
    {
        IsCancelled = true;
        reader.Cancel();
    }

    /// <summary>Whether it has all that it will get, and has ended if it is to end.</summary>
    internal bool IsSatisfied()
    {
        if (reader.Failure is not null || reader.IsClosed)
            return true;
        var mustEnd = !Query.IsLive || Query.Range.IsEmpty || EndIsThere();
        return reader.IsCompleted || (!mustEnd && Missing() is null);
    }

    /// <summary>Checks a reader that has all that it will get.</summary>
    internal void CheckAtEnd()
    {
        if (reader.Failure is { } failure)
            CheckFailure(failure);
        else if (!reader.IsClosed)
            CheckWhole();
    }

    public override string ToString() =>
        $"{Query}{(IsCancelled ? " cancelled" : "")}{(IsAsleep ? " asleep" : "")} got [{string.Join(",", reader.SequenceNumbers)}] "
        + $"completed={reader.IsCompleted} waiting={reader.IsWaiting} failure={reader.Failure?.Message} missing={Missing()}";

    private void CheckFailure(Exception failure)
    {
        if (failure is OperationCanceledException)
            Assert.True(IsCancelled);
        else
        {
            Assert.IsType<JournalException>(failure);
            // The look for the end of a bounded query reads the first row past it too.
            Assert.Contains(writers.Committed, row => row.IsPoisoned && row.PersistenceId == Query.PersistenceId);
        }
    }

    private void CheckWhole()
    {
        Assert.Null(Missing());
        if (Query.IsLive && !Query.Range.IsEmpty)
            Assert.Equal(EndIsThere(), reader.IsCompleted);
        else
            Assert.True(reader.IsCompleted);
    }

    private void CheckLast()
    {
        var last = reader.Events[^1];
        var row = Assert.Single(writers.Committed, row => row.Ordering == last.Ordering && row.PersistenceId == last.PersistenceId);
        Assert.Equal(Query.PersistenceId, last.PersistenceId);
        Assert.Equal(row.SequenceNumber, last.SequenceNumber);
        Assert.InRange(last.SequenceNumber, Query.Range.From, Query.Range.To);
        Assert.True(row.DeletedAt is null || row.DeletedAt > _openedAt, "An event came that was deleted before the query was opened.");
        if (reader.Events.Count > 1)
            Assert.True(reader.Events[^2].SequenceNumber < last.SequenceNumber, "Events came twice or out of order.");
    }

    private long? Missing()
    {
        var got = reader.SequenceNumbers.ToHashSet();
        var required = Query.IsLive ? Required() : _atStart ?? [];
        return required.FirstOrDefault(row => row.DeletedAt is null && !got.Contains(row.SequenceNumber))?.SequenceNumber;
    }

    private bool EndIsThere() => writers.Committed.Any(row => row.PersistenceId == Query.PersistenceId && row.SequenceNumber >= Query.Range.To);

    private IEnumerable<ScriptedRow> Required() => OfQuery().Where(row => row.DeletedAt is null);

    private IEnumerable<ScriptedRow> OfQuery() => writers.Committed.Where(row =>
        row.PersistenceId == Query.PersistenceId && row.SequenceNumber >= Query.Range.From && row.SequenceNumber <= Query.Range.To);
}

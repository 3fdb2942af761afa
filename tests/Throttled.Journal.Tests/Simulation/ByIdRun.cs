using Throttled.Journal.Queries;

namespace Throttled.Simulation;

/// <summary>A query by persistence id.</summary>
internal sealed class ByIdRun(PolledReader reader, ScriptedJournal journal, SimulatedWriters writers)
    : SimulatedReader<JournalEvent>(reader, journal)
{
    private List<ScriptedRow> _atStart = [];

    internal ByIdQuery Query => reader.Query;

    internal long Next => reader.Events.Count == 0 ? Query.Range.From : reader.Events[^1].SequenceNumber + 1;

    protected override string Name => Query.ToString();

    protected override bool CountsPage => true;

    protected override bool MustEnd => !Query.IsLive || Query.Range.IsEmpty || EndIsThere();

    protected override void Begin() => _atStart = [.. Required().Where(writers.IsOnAll)];

    protected override void CheckLast()
    {
        var last = reader.Events[^1];
        var row = writers.RowOf(last);
        writers.CheckPayload(row, last);
        Assert.Equal(Query.PersistenceId, last.PersistenceId);
        Assert.InRange(last.SequenceNumber, Query.Range.From, Query.Range.To);
        writers.CheckDeleted(row, OpenedAt);
        if (reader.Events.Count > 1)
            Assert.True(reader.Events[^2].SequenceNumber < last.SequenceNumber, "Events came twice or out of order.");
        var before = reader.Events.Count > 1 ? reader.Events[^2].SequenceNumber : Query.Range.From - 1;
        Assert.DoesNotContain(Required(), row => row.SequenceNumber > before && row.SequenceNumber < last.SequenceNumber);
    }

    protected override object? Missing()
    {
        var got = reader.SequenceNumbers.ToHashSet();
        var required = Query.IsLive ? Required() : _atStart;
        return required.FirstOrDefault(row => row.DeletedAt is null && !got.Contains(row.SequenceNumber))?.SequenceNumber;
    }

    // To find its end, a bounded query also reads the first row past it.
    protected override bool MayFail() => writers.Committed.Any(row => row.IsPoisoned && row.PersistenceId == Query.PersistenceId);

    protected override ScriptedRow? LargeIn(string message) => writers.LargeIn(message);

    protected override bool MayFailAt(ScriptedRow large)
    {
        var before = reader.Events.Count > 0 ? reader.Events[^1].SequenceNumber : Query.Range.From - 1;
        return OfQuery().Contains(large) && large.SequenceNumber > before
            && !Required().Any(row => row.SequenceNumber > before && row.SequenceNumber < large.SequenceNumber);
    }

    // If older rows of the id were removed, a rewind can leave none of its rows. Then the query cannot know that its end existed.
    private bool EndIsThere() => Journal.RowsOf(Query.PersistenceId).Any(row => row.SequenceNumber >= Query.Range.To);

    private IEnumerable<ScriptedRow> Required() => OfQuery().Where(row => row.DeletedAt is null && !writers.IsSkipped(row));

    private IEnumerable<ScriptedRow> OfQuery() => writers.Committed.Where(row =>
        row.PersistenceId == Query.PersistenceId && row.SequenceNumber >= Query.Range.From && row.SequenceNumber <= Query.Range.To);
}

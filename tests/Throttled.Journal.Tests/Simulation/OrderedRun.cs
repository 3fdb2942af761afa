using Throttled.Journal;
using Throttled.Journal.Queries;
using Throttled.Testing.Scripted;

namespace Throttled.Simulation;

/// <summary>A query in journal order; one of several runs of it, perhaps.</summary>
internal sealed class OrderedRun(PolledReader reader, OrderedPast past, ScriptedJournal journal, SimulatedWriters writers)
    : SimulatedReader<JournalEvent>(reader, journal)
{
    private List<ScriptedRow> _atStart = [];
    private int _wentBack;

    internal OrderedPast Past => past;

    /// <summary>Whether it is a live one that reads or follows.</summary>
    internal bool IsFollower => reader.Ordered.IsLive && !HasEnded && reader.Feed.State is FeedState.CatchingUp or FeedState.Following;

    /// <summary>Whether a look has found that the order cannot be read.</summary>
    internal bool HasToFail { get; set; }

    protected override string Name => $"{reader.Ordered} from {past.Origin} ({past.Events.Count} in all)";

    protected override bool MustFail => HasToFail;

    protected override bool MustEnd => !reader.Ordered.IsLive;

    /// <summary>Whatever became of it: what it passed is never missing. Where numbers come again, positions are not safe.</summary>
    internal void CheckPassed()
    {
        if (!Journal.ReusesOrderings && !IsRewound)
            Assert.Null(MissingOf(OfQuery().Where(row => row.Ordering <= past.Position)));
    }

    protected override void Stepped()
    {
        if (IsRewound || IsBetween || reader.Feed is not OrderedFeed { Scanned: { } scan })
            return;
        Assert.True(scan.UpTo >= past.Position, "A query has read less far than it reported before.");
        past.Scan(scan.UpTo);
        CheckPassed();
    }

    protected override void Begin() => _atStart = [.. OfQuery().Where(row => row.DeletedAt is null && writers.IsOnAll(row))];

    protected override void CheckLast()
    {
        var last = reader.Events[^1];
        var row = writers.RowOf(last);
        writers.CheckPayload(row, last);
        Assert.True(last.Ordering > reader.Ordered.After);
        Assert.Contains(row, OfQuery());
        Assert.Equal(row.Tags, last.Tags);
        writers.CheckDeleted(row, OpenedAt);
        CheckOrder(last);
        var isSettled = Journal.ReusesOrderings || Journal.LowestOpen(past.Origin) is not { } open || open > last.Ordering;
        Assert.True(isSettled, "An event came before one that may still be committed.");
        past.Add(last);
        CheckPassed();
    }

    protected override object? Missing() => MissingOf(reader.Ordered.IsLive ? OfQuery() : _atStart);

    protected override bool MayFail() => writers.Committed.Any(row => row.IsPoisoned && row.Ordering > reader.Ordered.After);

    protected override ScriptedRow? LargeIn(string message) => writers.LargeIn(message);

    // Where numbers come again, what it has to read again comes before.
    protected override bool MayFailAt(ScriptedRow large) =>
        OfQuery().Contains(large)
        && (Journal.ReusesOrderings || (large.Ordering > past.Position && MissingOf(OfQuery().Where(row => row.Ordering < large.Ordering)) is null));

    // Where numbers come again, what a page read before the tail found out comes twice: once for each time at most.
    private void CheckOrder(JournalEvent last)
    {
        if (past.Events.Count > 0 && past.Events[^1].Ordering >= last.Ordering)
            _wentBack++;
        Assert.True(_wentBack <= Journal.Reuses, "Events came twice or out of order.");
    }

    private object? MissingOf(IEnumerable<ScriptedRow> required) =>
        required.FirstOrDefault(row => row.DeletedAt is null && !writers.IsSkipped(row) && !past.Has(row))?.Ordering;

    private IEnumerable<ScriptedRow> OfQuery() =>
        writers.Committed.Where(row => row.Ordering > past.Origin && past.Filter.Matches(JournalSlices.Of(row.PersistenceId), row.Tags));
}

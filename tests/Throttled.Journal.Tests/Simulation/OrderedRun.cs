using Throttled.Journal.Queries;

namespace Throttled.Simulation;

/// <summary>One run of a query in journal order.</summary>
internal sealed class OrderedRun(PolledReader reader, OrderedPast past, ScriptedJournal journal, SimulatedWriters writers)
    : SimulatedReader<JournalEvent>(reader, journal)
{
    private List<ScriptedRow> _atStart = [];
    private int _wentBack;

    internal OrderedPast Past => past;

    /// <summary>Whether it is a live query that catches up or follows.</summary>
    internal bool IsFollower => reader.Ordered.IsLive && !HasEnded && reader.Feed.State is FeedState.CatchingUp or FeedState.Following;

    /// <summary>Whether a poll has found that the order cannot be read.</summary>
    internal bool HasToFail { get; set; }

    protected override string Name => $"{reader.Ordered} from {past.Origin} ({past.Events.Count} in all)";

    protected override bool MustFail => HasToFail;

    protected override bool MustEnd => !reader.Ordered.IsLive;

    /// <summary>No event at or below its position is missing, however it ended. If orderings are reused, positions are not safe.</summary>
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

    // If orderings are reused, it may read again events that it already has.
    protected override bool MayFailAt(ScriptedRow large) =>
        OfQuery().Contains(large)
        && (Journal.ReusesOrderings || (large.Ordering > past.Position && MissingOf(OfQuery().Where(row => row.Ordering < large.Ordering)) is null));

    // If orderings are reused, an event of a page that was read before the tail noticed comes twice, once for each reuse at most.
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

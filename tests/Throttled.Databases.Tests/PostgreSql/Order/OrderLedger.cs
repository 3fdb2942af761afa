namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>The committed events, with their orderings and times. Thread-safe.</summary>
internal sealed class OrderLedger
{
    /// <summary>The events of ids with this prefix are deleted again, so queries need not return them.</summary>
    internal const string Gone = "gone-";

    private readonly List<Entry> _entries = [];
    private int _transactions;
    private int _rolledBack;
    private int _prepared;

    /// <summary>The number of transactions that were committed or rolled back.</summary>
    internal int Transactions => Volatile.Read(ref _transactions);

    internal void RolledBack()
    {
        Interlocked.Increment(ref _rolledBack);
        Interlocked.Increment(ref _transactions);
    }

    internal void Prepared() => Interlocked.Increment(ref _prepared);

    /// <summary>Adds committed events.</summary>
    /// <param name="events">The events with their orderings.</param>
    /// <param name="began">When the commit was sent.</param>
    internal void Committed(IEnumerable<JournalEvent> events, long began)
    {
        lock (_entries)
            _entries.AddRange(events.Select(each => new Entry(each, TestEvents.TextOf(each), began)));
        Interlocked.Increment(ref _transactions);
    }

    /// <summary>The events that a query must return, in journal order.</summary>
    internal List<Entry> Of(Func<JournalEvent, bool> wants)
    {
        lock (_entries)
            return [.. _entries.Where(entry => wants(entry.Event)).OrderBy(entry => entry.Ordering)];
    }

    public override string ToString()
    {
        lock (_entries)
            return $"{_transactions} transactions, {_rolledBack} rolled back and {_prepared} prepared; {_entries.Count} events";
    }

    internal sealed record Entry(JournalEvent Event, string Text, long CommitBegan)
    {
        internal long Ordering => Event.Ordering;

        internal bool MayBeGone => Event.PersistenceId.StartsWith(Gone, StringComparison.Ordinal);
    }
}

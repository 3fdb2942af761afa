using Throttled.Testing;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>What the writers committed, with which ordering and when. Thread-safe.</summary>
internal sealed class OrderLedger
{
    /// <summary>Ids with this beginning are those whose events are deleted again: nobody has to see them.</summary>
    internal const string Gone = "gone-";

    private readonly List<Entry> _entries = [];
    private int _transactions;
    private int _rolledBack;
    private int _prepared;

    /// <summary>Transactions that have ended, either way.</summary>
    internal int Transactions => Volatile.Read(ref _transactions);

    /// <summary>Counts a transaction that was rolled back.</summary>
    internal void RolledBack()
    {
        Interlocked.Increment(ref _rolledBack);
        Interlocked.Increment(ref _transactions);
    }

    internal void Prepared() => Interlocked.Increment(ref _prepared);

    /// <summary>Notes what was committed.</summary>
    /// <param name="events">With their orderings.</param>
    /// <param name="began">When the server was told to commit.</param>
    internal void Committed(IEnumerable<JournalEvent> events, long began)
    {
        lock (_entries)
            _entries.AddRange(events.Select(each => new Entry(each, TestEvents.TextOf(each), began)));
        Interlocked.Increment(ref _transactions);
    }

    /// <summary>What a query wants of it, in the order of the journal.</summary>
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

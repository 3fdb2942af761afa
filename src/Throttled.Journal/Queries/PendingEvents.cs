using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>Events from the tail that wait for the reader's next demand.</summary>
internal sealed class PendingEvents
{
    private readonly List<JournalEvent> _events = [];

    internal int Count => _events.Count;

    internal long Bytes { get; private set; }

    /// <summary>The sequence number of the first event.</summary>
    internal long First => _events[0].SequenceNumber;

    internal long FirstOrdering => _events[0].Ordering;

    /// <summary>The ordering of the last event; null if there is none.</summary>
    internal long? Last => _events.Count == 0 ? null : _events[^1].Ordering;

    /// <returns>The number of events left.</returns>
    internal int DropUpTo(long ordering, ByteBudget budget)
    {
        var dropped = _events.FindAll(row => row.Ordering <= ordering).Sum(row => row.Bytes);
        _events.RemoveAll(row => row.Ordering <= ordering);
        Bytes -= dropped;
        budget.Release(dropped);
        return Count;
    }

    internal void Add(JournalEvent row)
    {
        _events.Add(row);
        Bytes += row.Bytes;
    }

    internal Page<JournalEvent> ToPage() => new([.. _events], Bytes);
}

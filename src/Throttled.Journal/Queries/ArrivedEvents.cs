using Throttled.Journal.Pages;

namespace Throttled.Journal.Queries;

/// <summary>Events that the tail brought while the reader was busy: a page in the making.</summary>
internal sealed class ArrivedEvents
{
    private readonly List<JournalEvent> _events = [];

    internal int Count => _events.Count;

    internal long Bytes { get; private set; }

    /// <summary>The sequence number of the first event.</summary>
    internal long First => _events[0].SequenceNumber;

    internal void Add(JournalEvent row)
    {
        _events.Add(row);
        Bytes += row.Bytes;
    }

    internal JournalPage ToPage() => new(_events.ToArray(), _events.Count, Bytes);
}

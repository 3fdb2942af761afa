using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>One event of the journal with its payload decoded.</summary>
public readonly struct ProjectionEvent
{
    internal ProjectionEvent(JournalEvent stored, object payload)
    {
        Stored = stored;
        Payload = payload;
    }

    /// <summary>The event as the journal stores it: persistence id, sequence number, ordering, timestamp, tags.</summary>
    public JournalEvent Stored { get; }

    /// <summary>The payload that <see cref="ProjectionOptions.Decoder"/> returned; never null.</summary>
    public object Payload { get; }

    /// <summary>The entity that persisted the event.</summary>
    public string PersistenceId => Stored.PersistenceId;

    /// <summary>The event's number within its persistence id, from 1.</summary>
    public long SequenceNumber => Stored.SequenceNumber;

    /// <summary>The event's ordering in the journal.</summary>
    public long Ordering => Stored.Ordering;

    /// <summary>The event's persistence id, sequence number and ordering.</summary>
    public override string ToString() => Stored.ToString();
}

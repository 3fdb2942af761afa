using System.Globalization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// What stands in an envelope for an event that could not be decoded, where <c>on-undecodable-event = deliver</c>: the row as it is stored.
/// </summary>
public sealed class UndecodableEvent
{
    internal UndecodableEvent(JournalEvent row, Exception cause) =>
        (Payload, OmittedPayloadBytes, SerializerId, Manifest, Cause) = (row.Payload, row.OmittedPayloadBytes, row.SerializerId, row.Manifest, cause);

    /// <summary>The serialized event; empty where it is above <c>max-payload-bytes</c>.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>How long the serialized event is in bytes where it is above <c>max-payload-bytes</c>, and was not read; otherwise 0.</summary>
    public int OmittedPayloadBytes { get; }

    /// <summary>The id of the serializer that wrote it; null on rows older than serializer ids.</summary>
    public int? SerializerId { get; }

    /// <summary>What the serializer needs to know to read the payload; empty where it needs nothing.</summary>
    public string Manifest { get; }

    /// <summary>Why it could not be decoded.</summary>
    public Exception Cause { get; }

    /// <summary>What it is, for a log; not what the payload says.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"An event that cannot be decoded (serializer id {(object?)SerializerId ?? "missing"}, manifest \"{Manifest}\", {Payload.Length + OmittedPayloadBytes} bytes): {Cause.Message}");
}

/// <summary>
/// A query, or <see cref="ThrottledReadJournal.PayloadDecoder"/>, came to an event that cannot be decoded: its serializer, its type or an event adapter failed, or it is above
/// <c>max-payload-bytes</c>, as the inner exception tells.
/// <c>on-undecodable-event</c> makes queries go on instead; a query that begins behind <see cref="Offset"/>, or by persistence id at the number
/// after <see cref="SequenceNr"/>, leaves this one event out.
/// </summary>
public sealed class UndecodableEventException : Exception
{
    internal UndecodableEventException(string message, JournalEvent row, Offset offset, Exception cause)
        : base(message, cause) =>
        (PersistenceId, SequenceNr, Offset, SerializerId, Manifest, OmittedPayloadBytes) =
            (row.PersistenceId, row.SequenceNumber, offset, row.SerializerId, row.Manifest, row.OmittedPayloadBytes);

    /// <summary>The entity that persisted the event.</summary>
    public string PersistenceId { get; }

    /// <summary>The event's number within its persistence id.</summary>
    public long SequenceNr { get; }

    /// <summary>
    /// The event's offset, as its envelope would carry it: a <see cref="Sequence"/>, or a <see cref="ShardedOffset"/> where the query goes over several
    /// shards.
    /// </summary>
    public Offset Offset { get; }

    /// <summary>The id of the serializer that wrote it; null on rows older than serializer ids.</summary>
    public int? SerializerId { get; }

    /// <summary>What the serializer needs to know to read the event; empty where it needs nothing.</summary>
    public string Manifest { get; }

    /// <summary>How long the serialized event is in bytes where it is above <c>max-payload-bytes</c>, and was not read; otherwise 0.</summary>
    public int OmittedPayloadBytes { get; }
}

/// <summary>What to do with an event that cannot be decoded, or is larger than <c>max-payload-bytes</c>: the values of <c>on-undecodable-event</c>.</summary>
public enum UndecodableEventAction
{
    /// <summary>Fail the query.</summary>
    Fail,

    /// <summary>Skip the event, with a warning for each kind of event.</summary>
    Skip,

    /// <summary>Deliver an <see cref="UndecodableEvent"/> instead.</summary>
    Deliver,
}

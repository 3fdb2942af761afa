using System.Globalization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled;

/// <summary>
/// The stored row of an event that could not be decoded. With <c>on-undecodable-event = deliver</c>, it is the payload of the event's envelope.
/// </summary>
public sealed class UndecodableEvent
{
    internal UndecodableEvent(JournalEvent row, Exception cause) =>
        (Payload, OmittedPayloadBytes, SerializerId, Manifest, Cause) = (row.Payload, row.OmittedPayloadBytes, row.SerializerId, row.Manifest, cause);

    /// <summary>The serialized event; empty if it is larger than <c>max-payload-bytes</c>.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>
    /// The size of the serialized event in bytes, if it is larger than <c>max-payload-bytes</c> and was not read; otherwise 0.
    /// </summary>
    public int OmittedPayloadBytes { get; }

    /// <summary>The id of the serializer that wrote it; null for rows older than serializer ids.</summary>
    public int? SerializerId { get; }

    /// <summary>What the serializer needs besides the payload to read it; empty if it needs nothing.</summary>
    public string Manifest { get; }

    /// <summary>Why the event could not be decoded.</summary>
    public Exception Cause { get; }

    /// <summary>A description for a log, without the content of the payload.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"An event that cannot be decoded (serializer id {(object?)SerializerId ?? "missing"}, manifest \"{Manifest}\", {Payload.Length + OmittedPayloadBytes} bytes): {Cause.Message}");
}

/// <summary>
/// A query, or <see cref="ThrottledReadJournal.PayloadDecoder"/>, read an event that cannot be decoded. Its serializer, its
/// type or an event adapter failed, or it is larger than <c>max-payload-bytes</c>: the inner exception says which. With another
/// value of <c>on-undecodable-event</c>, queries go on instead. To leave out this one event, start a query after
/// <see cref="Offset"/>, or by persistence id at the number after <see cref="SequenceNr"/>.
/// </summary>
public sealed class UndecodableEventException : Exception
{
    internal UndecodableEventException(string message, JournalEvent row, Offset offset, Exception cause)
        : base(message, cause) =>
        (PersistenceId, SequenceNr, Offset, SerializerId, Manifest, OmittedPayloadBytes) =
            (row.PersistenceId, row.SequenceNumber, offset, row.SerializerId, row.Manifest, row.OmittedPayloadBytes);

    /// <summary>The persistence id of the event.</summary>
    public string PersistenceId { get; }

    /// <summary>The event's sequence number within its persistence id.</summary>
    public long SequenceNr { get; }

    /// <summary>
    /// The offset of the event's envelope: a <see cref="Sequence"/>, or a <see cref="ShardedOffset"/> if the query reads
    /// several shards.
    /// </summary>
    public Offset Offset { get; }

    /// <summary>The id of the serializer that wrote it; null for rows older than serializer ids.</summary>
    public int? SerializerId { get; }

    /// <summary>What the serializer needs besides the payload to read it; empty if it needs nothing.</summary>
    public string Manifest { get; }

    /// <summary>
    /// The size of the serialized event in bytes, if it is larger than <c>max-payload-bytes</c> and was not read; otherwise 0.
    /// </summary>
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

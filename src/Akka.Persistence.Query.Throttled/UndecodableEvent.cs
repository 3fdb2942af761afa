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

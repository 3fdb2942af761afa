using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Akka.Actor;
using Newtonsoft.Json;
using Throttled.Journal;
using AkkaSerialization = Akka.Serialization.Serialization;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>Decodes payloads with the serializers of the actor system. Actor references in events belong to that system.</summary>
/// <param name="system">The actor system.</param>
/// <param name="serializer">The name of the serializer for rows without a serializer id; null for the serializer of their type.</param>
/// <param name="isStoredAsJson">Whether these rows hold JSON text, as the older PostgreSQL plugin wrote it.</param>
internal sealed class PayloadDecoder(ExtendedActorSystem system, string? serializer, bool isStoredAsJson)
{
    private readonly AkkaSerialization _serialization = system.Serialization;
    private readonly JsonPayloads? _json = JsonPayloads.Of(system.Serialization);

    internal object Decode(JournalEvent row)
    {
        if (row.SerializerId is not { } id)
            return DecodeByType(row);
        // With a manifest, the serializer gets a type.
        if (id == _json?.SerializerId && row.Manifest.Length == 0)
            return _json.Decode(system, row.Payload);
        var bytes = Bytes(row.Payload);
        var payload = _serialization.Deserialize(bytes, id, row.Manifest);
        // Queries share rows. If the event is the row's byte array itself, copy it.
        return ReferenceEquals(payload, bytes) ? bytes.Clone() : payload;
    }

    // Rows older than serializer ids: the manifest is the type's name.
    private object DecodeByType(JournalEvent row)
    {
        var type = Type.GetType(row.Manifest, throwOnError: true)!;
        if (isStoredAsJson)
        {
            return JsonConvert.DeserializeObject(Encoding.UTF8.GetString(row.Payload.Span), type)
                ?? throw new JsonSerializationException("The payload is null.");
        }
        var found = _serialization.FindSerializerForType(type, serializer);
        return AkkaSerialization.WithTransport(system, (found, row, type), static each => each.found.FromBinary(Bytes(each.row.Payload), each.type));
    }

    private static byte[] Bytes(ReadOnlyMemory<byte> payload) =>
        MemoryMarshal.TryGetArray(payload, out var segment) && segment.Offset == 0 && segment.Count == segment.Array!.Length
            ? segment.Array
            : payload.ToArray();
}

/// <summary>Describes an event for messages.</summary>
internal static class EventText
{
    internal static string Named(JournalEvent row) =>
        string.Create(CultureInfo.InvariantCulture, $"Event {row.SequenceNumber} of '{row.PersistenceId}' (ordering {row.Ordering})");

    internal static string Kind(JournalEvent row) =>
        $"Its serializer id is {row.SerializerId?.ToString(CultureInfo.InvariantCulture) ?? "missing"}, its manifest \"{row.Manifest}\".";
}

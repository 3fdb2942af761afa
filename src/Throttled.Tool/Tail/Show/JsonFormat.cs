using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Throttled.Tool.Tail;

/// <summary>For programs: one JSON object per line. All members are always present; the payload is in one of two members.</summary>
internal sealed class JsonFormat(PayloadDecoder? decoder) : ILineFormat
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public void Write(JournalEvent each, IBufferWriter<byte> line)
    {
        // The decoder may fail, so it comes before the line begins.
        var payload = decoder?.Decode(each) ?? PayloadText.Of(each.Payload.Span);
        Write(line, json => Write(each, payload, json));
    }

    public void Write(string persistenceId, IBufferWriter<byte> line) =>
        Write(line, json => json.WriteString("persistenceId", persistenceId));

    private static void Write(JournalEvent each, string? payload, Utf8JsonWriter json)
    {
        json.WriteNumber("ordering", each.Ordering);
        json.WriteString("persistenceId", each.PersistenceId);
        json.WriteNumber("sequenceNumber", each.SequenceNumber);
        json.WriteString("timestamp", EventTime.Utc(each.Timestamp)?.ToString("O", CultureInfo.InvariantCulture));
        if (each.SerializerId is { } serializer)
            json.WriteNumber("serializerId", serializer);
        else
            json.WriteNull("serializerId");
        json.WriteString("manifest", each.Manifest);
        json.WriteStartArray("tags");
        foreach (var tag in each.Tags)
            json.WriteStringValue(tag);
        json.WriteEndArray();
        if (payload is null)
        {
            json.WriteBase64String("payloadBase64", each.Payload.Span);
        }
        else if (PayloadText.Json(payload) is { } value)
        {
            json.WritePropertyName("payload");
            json.WriteRawValue(value, skipInputValidation: true);
        }
        else
        {
            json.WriteString("payload", payload);
        }
    }

    private static void Write(IBufferWriter<byte> line, Action<Utf8JsonWriter> members)
    {
        using (var json = new Utf8JsonWriter(line, Options))
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        }
        line.Write("\n"u8);
    }
}

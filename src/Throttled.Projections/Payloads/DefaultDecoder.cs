using System.Text.Json;

namespace Throttled.Projections.Payloads;

/// <summary>Decodes the events of a projection without a decoder in its options: JSON only, nothing that Akka.NET has serialized.</summary>
internal static class DefaultDecoder
{
    private static readonly JsonEvents Json = new();

    internal static object? Decode(JournalEvent stored) =>
        stored.SerializerId is { } id ? throw new MissingDecoderException(FormattableString.Invariant($"its serializer {id}"))
        : PayloadType.Read(stored.Payload.Span) is { } type ? throw new MissingDecoderException($"its default serializer, as a {type}")
        : Json.Decode(stored);
}

/// <summary>The projection needs a decoder and has none. Every event would fail, so its lanes stop under any failure policy.</summary>
internal sealed class MissingDecoderException(string writer) : NotSupportedException(
    $"Akka.NET wrote the event by {writer}, and the projection has no 'Decoder'. Add to its options 'Decoder = ThrottledReadJournal.PayloadDecoder(system)' "
    + "of Akka.Persistence.Query.Throttled; to read JSON in a process without an actor system, 'Decoder = new JsonEvents().Add<...>().Decode'");

/// <summary>Reads the type that a payload names, as Newtonsoft.Json writes it: <c>{"$id":"1","$type":"Bank.Opened, Bank", …}</c>.</summary>
internal static class PayloadType
{
    internal static string? Read(ReadOnlySpan<byte> payload)
    {
        try
        {
            var reader = new Utf8JsonReader(payload);
            return reader.Read() && reader.TokenType == JsonTokenType.StartObject ? Read(ref reader) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static string? Read(ref Utf8JsonReader reader)
    {
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName && reader.ValueSpan is [(byte)'$', ..])
        {
            var isType = reader.ValueTextEquals("$type"u8);
            if (!reader.Read() || reader.TokenType != JsonTokenType.String)
                return null;
            if (isType)
                return reader.GetString();
        }
        return null;
    }
}

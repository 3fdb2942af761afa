using System.Text.Json;

namespace Throttled.Projections.Payloads;

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

using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Throttled.Tool.Tail;

internal static class PayloadText
{
    private static readonly JsonSerializerOptions OneLine = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>The payload as text; null if it is empty, is not well-formed UTF-8, or has control characters other than tabs and line breaks.</summary>
    // All bytes are checked, even if only the first characters are returned.
    internal static string? Of(ReadOnlySpan<byte> payload, int? most = null)
    {
        if (payload.IsEmpty)
            return null;
        var wanted = 0;
        var count = 0;
        for (var rest = payload; !rest.IsEmpty; count++)
        {
            if (Rune.DecodeFromUtf8(rest, out var rune, out var length) != OperationStatus.Done || !IsOfText(rune))
                return null;
            rest = rest[length..];
            if (most is null || count <= most)
                wanted += length;
        }
        return Encoding.UTF8.GetString(payload[..wanted]);
    }

    /// <summary>The text as JSON on one line; null if it is not JSON.</summary>
    internal static string? Json(string text)
    {
        // The parser would throw an exception for each payload of other text, which would take most of the time.
        if (text.AsSpan().TrimStart(" \t\r\n") is not [('{' or '[' or '"' or '-' or 't' or 'f' or 'n' or (>= '0' and <= '9')), ..])
            return null;
        try
        {
            using var document = JsonDocument.Parse(text);
            return JsonSerializer.Serialize(document.RootElement, OneLine);
        }
        // InvalidOperationException is for an escaped half of a character, such as "\ud800".
        catch (Exception error) when (error is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    private static bool IsOfText(Rune rune) => !Rune.IsControl(rune) || rune.Value is '\t' or '\n' or '\r';
}

/// <summary>The times of events.</summary>
internal static class EventTime
{
    /// <summary>The time of stored ticks; null if they are no time: 0 on old rows, or another writer's unit.</summary>
    internal static DateTime? Utc(long ticks) =>
        ticks > 0 && ticks <= DateTime.MaxValue.Ticks ? new DateTime(ticks, DateTimeKind.Utc) : null;
}

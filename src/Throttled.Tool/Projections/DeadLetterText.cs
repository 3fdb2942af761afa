using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Throttled.Projections;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;
using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>Dead letters for people and for programs.</summary>
internal static class DeadLetterText
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <param name="one">The dead letter.</param>
    /// <param name="behind">The sequence numbers of the events that queue behind it.</param>
    /// <param name="decoder">The user's; null for none.</param>
    internal static IEnumerable<string> Lines(DeadLetter one, IReadOnlyList<long> behind, PayloadDecoder? decoder)
    {
        var (stored, error, attempts, since, tried) = one;
        yield return $"persistence id  {Printable.OfLine(stored.PersistenceId)}";
        yield return Invariant($"event           {stored.SequenceNumber}, ordering {stored.Ordering}, written {Time(EventTime.Utc(stored.Timestamp))}");
        yield return $"manifest        {Printable.OfLine(stored.Manifest)}, serializer {stored.SerializerId?.ToString(CultureInfo.InvariantCulture) ?? "not stored"}";
        yield return $"tags            {(stored.Tags.Count == 0 ? "none" : Printable.OfLine(string.Join(", ", stored.Tags)))}";
        yield return Invariant($"dead letter     since {Time(since.UtcDateTime)}, {attempts} attempts, the last {Time(tried?.UtcDateTime)}");
        yield return behind.Count == 0 ? "behind it       no event" : Invariant($"behind it       {Versions.Count(behind.Count, "event")}: {behind[0]} to {behind[^1]}");
        yield return "";
        yield return "payload";
        foreach (var line in Payload(stored, TextOf(stored, decoder)).Split('\n'))
            yield return $"  {Printable.OfLine(line.TrimEnd('\r'))}";
        yield return "";
        yield return "exception";
        foreach (var line in (error ?? "none: it queues behind an earlier event of its persistence id").Split('\n'))
            yield return $"  {Printable.OfLine(line.TrimEnd('\r'))}";
    }

    internal static object Json(DeadLetter one, IReadOnlyList<long> behind, PayloadDecoder? decoder) => new { deadLetter = Json(one, decoder), behind };

    /// <param name="one">The dead letter.</param>
    /// <param name="decoder">The user's; null for none.</param>
    /// <param name="behindIt">The number of events that queue behind it; null if they were not counted.</param>
    internal static object Json(DeadLetter one, PayloadDecoder? decoder, long? behindIt = null)
    {
        var text = TextOf(one.Event, decoder);
        return new
        {
            one.Event.PersistenceId,
            one.Event.SequenceNumber,
            one.Event.Ordering,
            Timestamp = EventTime.Utc(one.Event.Timestamp),
            one.Event.SerializerId,
            one.Event.Manifest,
            one.Event.Tags,
            one.Attempts,
            one.DeadLetteredAt,
            one.TriedAt,
            one.Error,
            BehindIt = behindIt,
            Payload = Parsed(text) is { } json ? json : (object?)text,
            PayloadBase64 = text is null ? Convert.ToBase64String(one.Event.Payload.Span) : null,
            one.Event.OmittedPayloadBytes,
        };
    }

    private static string? TextOf(JournalEvent stored, PayloadDecoder? decoder) => decoder?.Decode(stored) ?? PayloadText.Of(stored.Payload.Span);

    private static string Payload(JournalEvent stored, string? text) =>
        stored.OmittedPayloadBytes > 0 ? Invariant($"{stored.OmittedPayloadBytes:N0} bytes, more than MaxPayloadBytes: it was not read")
        : Parsed(text) is { } json ? JsonSerializer.Serialize(json, Indented)
        : text ?? (stored.Payload.IsEmpty ? "empty" : $"0x{Convert.ToHexStringLower(stored.Payload.Span)}");

    private static JsonElement? Parsed(string? text) => text is not null && PayloadText.Json(text) is { } json ? JsonSerializer.Deserialize<JsonElement>(json) : null;

    private static string Time(DateTime? utc) => utc is { } time ? Invariant($"{time:yyyy-MM-dd HH:mm:ss} UTC") : "at an unknown time";
}

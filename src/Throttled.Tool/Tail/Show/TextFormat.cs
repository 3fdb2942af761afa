using System.Buffers;
using System.Globalization;
using System.Text;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Writes what was read as lines, in UTF-8, each with its end.</summary>
internal interface ILineFormat
{
    void Write(JournalEvent each, IBufferWriter<byte> line);

    void Write(string persistenceId, IBufferWriter<byte> line);
}

/// <summary>For people: ordering, local time, id, sequence number, manifest, tags, payload. A null width is no limit.</summary>
internal sealed class TextFormat(TimeZoneInfo zone, Func<int?> width, PayloadDecoder? decoder) : ILineFormat
{
    private const string None = "-";
    private const string Empty = "\"\"";

    public void Write(JournalEvent each, IBufferWriter<byte> line)
    {
        var tags = each.Tags.Count == 0 ? None : $"[{string.Join(", ", each.Tags.Order(StringComparer.Ordinal).Select(Named))}]";
        var manifest = each.Manifest.Length == 0 ? None : each.Manifest;
        var head = string.Create(CultureInfo.InvariantCulture, $"{each.Ordering,8}  {Time(each)}  ")
            + Printable.OfLine(string.Create(CultureInfo.InvariantCulture, $"{Named(each.PersistenceId)} {each.SequenceNumber}  {manifest}  {tags}  "));
        Write(head, decoder?.Decode(each) is { } decoded ? Line(decoded) : Payload(each.Payload.Span, width()), line);
    }

    public void Write(string persistenceId, IBufferWriter<byte> line) => Write(Printable.OfLine(Named(persistenceId)), "", line);

    private static string Named(string name) => name.Length == 0 ? Empty : name;

    private void Write(string head, string rest, IBufferWriter<byte> line)
    {
        var whole = head + rest;
        Encoding.UTF8.GetBytes(width() is { } most ? Printable.Cut(whole, most) : whole, line);
        line.Write("\n"u8);
    }

    private string Time(JournalEvent each) => EventTime.Utc(each.Timestamp) is { } utc
        ? TimeZoneInfo.ConvertTimeFromUtc(utc, zone).ToString("yyyy-MM-dd HH:mm:ss.fff", CultureInfo.InvariantCulture)
        : None;

    // JSON over several lines becomes one line.
    private static string Line(string text) => Printable.OfLine(text.Contains('\n') ? PayloadText.Json(text) ?? text : text);

    // Decode no more of a payload than a line can show, because a payload can have megabytes. Only JSON over several lines is decoded as a whole.
    private static string Payload(ReadOnlySpan<byte> payload, int? most)
    {
        if (PayloadText.Of(payload, payload is [(byte)'{' or (byte)'[', ..] && payload.Contains((byte)'\n') ? null : most) is { } text)
            return Line(text);
        var shown = most is { } line && payload.Length > line ? payload[..line] : payload;
        return shown.IsEmpty ? None : $"0x{Convert.ToHexStringLower(shown)}";
    }
}

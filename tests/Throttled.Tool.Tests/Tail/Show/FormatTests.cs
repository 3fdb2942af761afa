using System.Buffers;
using System.Text;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

public sealed class FormatTests
{
    private static readonly TimeZoneInfo Zone = TimeZoneInfo.CreateCustomTimeZone("test", TimeSpan.FromHours(2), "test", "test");

    [Fact]
    public void A_line_for_people_has_what_an_event_has()
    {
        var line = Text(Event("""{"amount":100}"""u8) with { Manifest = "deposited", Tags = ["green", "blue"] });

        Assert.Equal("""      12  2024-05-01 14:30:00.000  account-1 3  deposited  [blue, green]  {"amount":100}""" + "\n", line);
    }

    [Fact]
    public void What_an_event_does_not_have_is_a_dash() =>
        Assert.Equal("      12  -  account-1 3  -  -  -\n", Text(Event([]) with { Timestamp = 0 }));

    [Fact]
    public void An_empty_name_is_seen()
    {
        Assert.Contains("""  ["", blue]  """, Text(Event([]) with { Tags = ["blue", ""] }), StringComparison.Ordinal);
        Assert.Equal("\"\"\n", Written(line => new TextFormat(Zone, () => null, null).Write("", line)));
    }

    [Fact]
    public void Bytes_that_are_no_text_are_hexadecimal() =>
        Assert.EndsWith("  0x0a05ff\n", Text(Event([0x0a, 0x05, 0xff])), StringComparison.Ordinal);

    [Fact]
    public void What_would_move_the_cursor_is_spelt_out()
    {
        var line = Text(Event("a\nb"u8) with { Manifest = "\e[2J\u202e" });

        Assert.EndsWith("  \\u001b[2J\\u202e  -  a\\nb\n", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(80)]
    [InlineData(300)]
    public void A_line_is_cut_to_the_width(int width)
    {
        var text = Text(Event(Encoding.UTF8.GetBytes(new string('ä', 1000))), width);
        var bytes = Text(Event(Enumerable.Repeat((byte)0xff, 1000).ToArray()), width);

        Assert.Equal((width, '…'), (text.TrimEnd('\n').Length, text[^2]));
        Assert.Equal((width, '…'), (bytes.TrimEnd('\n').Length, bytes[^2]));
    }

    [Fact]
    public void A_line_as_long_as_the_width_stays_whole() => Assert.Equal("abc", Printable.Cut("abc", 3));

    [Fact]
    public void A_line_is_cut_between_characters_as_they_are_read() => Assert.Equal("e\u0301…", Printable.Cut("e\u0301bc", 2));

    [Fact]
    public void A_line_for_programs_is_one_object()
    {
        var line = Json(Event("größer\n"u8) with { Manifest = "m", SerializerId = 7, Tags = ["blue"] });

        Assert.Equal(
            """
            {"ordering":12,"persistenceId":"account-1","sequenceNumber":3,"timestamp":"2024-05-01T12:30:00.0000000Z","serializerId":7,"manifest":"m","tags":["blue"],"payload":"größer\n"}

            """,
            line);
    }

    [Theory]
    [InlineData("""{"amount":12345678901234567890.10,"to":"Ö"}""", """{"amount":12345678901234567890.10,"to":"Ö"}""")]
    [InlineData("{\n  \"amount\": 1\n}\n", """{"amount":1}""")]
    [InlineData("[]", "[]")]
    [InlineData("17", "17")]
    [InlineData("true story", "\"true story\"")]
    [InlineData("{amount}", "\"{amount}\"")]
    [InlineData("{} {}", "\"{} {}\"")]
    [InlineData("""{"half":"\ud800"}""", """
        "{\"half\":\"\\ud800\"}"
        """)]
    public void For_programs_a_payload_that_is_json_is_a_value(string payload, string printed) =>
        Assert.EndsWith($"\"payload\":{printed}}}\n", Json(Event(Encoding.UTF8.GetBytes(payload))), StringComparison.Ordinal);

    [Theory]
    [InlineData("{\n  \"amount\": 1,\n  \"to\": \"a b\"\n}\n", """{"amount":1,"to":"a b"}""")]
    [InlineData("""{"amount": 1}""", """{"amount": 1}""")]
    [InlineData("{\n", "{\\n")]
    public void For_people_json_over_several_lines_is_one_line(string payload, string printed) =>
        Assert.EndsWith($"  {printed}\n", Text(Event(Encoding.UTF8.GetBytes(payload))), StringComparison.Ordinal);

    [Fact]
    public void For_programs_bytes_that_are_no_text_are_base64() => Assert.EndsWith(
        """
        "timestamp":null,"serializerId":null,"manifest":"","tags":[],"payloadBase64":"/w=="}

        """,
        Json(Event([0xff]) with { Timestamp = 0 }),
        StringComparison.Ordinal);

    [Fact]
    public void A_persistence_id_is_a_line_too()
    {
        Assert.Equal("a\\nb\n", Written(line => new TextFormat(Zone, () => null, null).Write("a\nb", line)));
        Assert.Equal("""{"persistenceId":"a\nb"}""" + "\n", Written(line => new JsonFormat(null).Write("a\nb", line)));
    }

    private static Sample Event(ReadOnlySpan<byte> payload) => new(payload.ToArray());

    private static string Text(Sample sample, int? width = null) => Written(line => new TextFormat(Zone, () => width, null).Write(sample.ToEvent(), line));

    private static string Json(Sample sample) => Written(line => new JsonFormat(null).Write(sample.ToEvent(), line));

    private static string Written(Action<IBufferWriter<byte>> write)
    {
        var line = new ArrayBufferWriter<byte>();
        write(line);
        return Encoding.UTF8.GetString(line.WrittenSpan);
    }

    private sealed record Sample(byte[] Payload)
    {
        internal long Timestamp { get; init; } = new DateTime(2024, 5, 1, 12, 30, 0, DateTimeKind.Utc).Ticks;

        internal string Manifest { get; init; } = "";

        internal int? SerializerId { get; init; }

        internal string[] Tags { get; init; } = [];

        internal JournalEvent ToEvent() => new()
        {
            Ordering = 12,
            PersistenceId = "account-1",
            SequenceNumber = 3,
            Timestamp = Timestamp,
            Payload = Payload,
            SerializerId = SerializerId,
            Manifest = Manifest,
            Tags = Tags,
        };
    }
}

using System.Text;
using Akka.Actor;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

public class SerializerTests() : EnvelopeKit(Config)
{
    private const string Here = "Akka.Persistence.Query.Throttled.Tests.Envelopes";
    private const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private const string Config = $$"""
        akka.actor {
          serializers {
            by-manifest = "{{Here}}.ManifestSerializer, {{Assembly}}"
            by-type = "{{Here}}.TypedSerializer, {{Assembly}}"
            plain = "{{Here}}.PlainSerializer, {{Assembly}}"
          }
          serialization-bindings {
            "{{Here}}.ManifestText, {{Assembly}}" = by-manifest
            "{{Here}}.TypedText, {{Assembly}}" = by-type
            "{{Here}}.PlainText, {{Assembly}}" = plain
          }
        }
        """;

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task Each_serializer_gets_the_manifest_that_it_wrote(string query)
    {
        await AppendAsync(
            Stored(1, new ManifestText("one", "")), Stored(2, new TypedText("two", "")), Stored(3, new PlainText("three", "")), Stored(4, new Kept(4)));
        var envelopes = await ReadAsync(Open(), query, 4);
        Assert.Equal(
            [new ManifestText("one", "version 2"), new TypedText("two", nameof(TypedText)), new PlainText("three", $"no type in {Sys.Name}"), new Kept(4)],
            envelopes.Select(each => each.Event));
    }

    [Fact]
    public async Task An_actor_reference_in_an_event_works()
    {
        await AppendAsync(Stored(1, new Introduced(TestActor)), Legacy(2, new Introduced(TestActor)));
        foreach (var envelope in await ReadAsync(Open(), "current by id", 2))
        {
            var introduced = Assert.IsType<Introduced>(envelope.Event);
            introduced.Actor.Tell("well met");
            await ExpectMsgAsync("well met");
            Assert.Equal(TestActor, introduced.Actor);
        }
    }

    [Fact]
    public async Task A_row_without_a_serializer_id_is_read_by_the_serializer_of_its_type()
    {
        await AppendAsync(Legacy(1, new PlainText("one", "")), Legacy(2, new Kept(2)), Legacy(3, new TypedText("three", "")));
        var envelopes = await ReadAsync(Open(), "current all", 3);
        // Serializers get their system, because such old rows may contain actor references.
        Assert.Equal(
            [new PlainText("one", $"{nameof(PlainText)} in {Sys.Name}"), new Kept(2), new TypedText("three", nameof(TypedText))],
            envelopes.Select(each => each.Event));
    }

    [Fact]
    public async Task A_type_without_a_binding_is_read_by_the_serializer_setting()
    {
        await AppendAsync(Row(1, typeof(Kept), "one"), Legacy(2, new TypedText("two", "")));
        var envelopes = await ReadAsync(Open("serializer = plain"), "current all", 2);
        Assert.Equal(
            [new PlainText("one", $"{nameof(Kept)} in {Sys.Name}"), new TypedText("two", nameof(TypedText))], envelopes.Select(each => each.Event));
    }

    [Theory]
    [InlineData("json")]
    [InlineData("JSONB")]
    public async Task Rows_stored_as_json_are_read_as_the_older_plugin_wrote_them(string storedAs)
    {
        await AppendAsync(Row(1, typeof(Kept), """{"Number": 42}"""), Stored(2, new ManifestText("two", "")));
        var envelopes = await ReadAsync(Open($"stored-as = {storedAs}"), "current all", 2);
        Assert.Equal([new Kept(42), new ManifestText("two", "version 2")], envelopes.Select(each => each.Event));
    }

    [Fact]
    public async Task Json_null_is_no_event()
    {
        await AppendAsync(Row(1, typeof(Kept), "null"));
        var envelope = Assert.Single(await ReadAsync(Open("stored-as = json\non-undecodable-event = deliver"), "current all", 1));
        Assert.Contains("null", Assert.IsType<UndecodableEvent>(envelope.Event).Cause.Message, StringComparison.Ordinal);
    }

    private JournalEvent Legacy(long number, object payload)
    {
        var stored = Stored(number, payload);
        return Row(number, payload.GetType(), Encoding.UTF8.GetString(stored.Payload.Span));
    }

    private static JournalEvent Row(long number, Type type, string payload) => new()
    {
        PersistenceId = "a",
        SequenceNumber = number,
        Payload = Encoding.UTF8.GetBytes(payload),
        SerializerId = null,
        Manifest = type.AssemblyQualifiedName!,
        Tags = ["tag"],
    };
}

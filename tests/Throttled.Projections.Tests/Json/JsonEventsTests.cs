using System.Text;
using System.Text.Json;

namespace Throttled.Projections.Tests.Json;

public sealed class JsonEventsTests
{
    [Fact]
    public void Without_added_types_every_event_is_a_json_element()
    {
        var element = Assert.IsType<JsonElement>(new JsonEvents().Decode(Stored("any", """{"Owner":"Ada"}""")));
        Assert.Equal("Ada", element.GetProperty("Owner").GetString());
    }

    [Theory]
    [InlineData("Opened")]
    [InlineData("Throttled.Projections.Tests.Json.Opened")]
    [InlineData("Throttled.Projections.Tests.Json.Opened, Throttled.Projections.Tests")]
    [InlineData("Throttled.Projections.Tests.Json.Opened, Throttled.Projections.Tests, Version=1.2.3.4, Culture=neutral, PublicKeyToken=null")]
    [InlineData("Throttled.Projections.Tests.Json.Opened, Throttled.Projections.Tests, Culture=neutral")]
    public void A_type_is_known_by_its_names(string manifest) =>
        Assert.Equal(new Opened("Ada", 7), new JsonEvents().Add<Opened>().Decode(Stored(manifest, """{"Owner":"Ada","Limit":7}""")));

    [Fact]
    public void A_nested_type_is_known_by_its_names() => Assert.All(
        (string[])["Inner", $"{typeof(JsonEventsTests).FullName}+Inner", typeof(Inner).AssemblyQualifiedName!],
        manifest => Assert.Equal(new Inner(1), new JsonEvents().Add<Inner>().Decode(Stored(manifest, """{"Number":1}"""))));

    [Fact]
    public void A_generic_type_is_known_by_its_assembly_qualified_name() => Assert.Equal(
        new Wrapped<Opened>(new("Ada", 7)),
        new JsonEvents().Add<Wrapped<Opened>>().Decode(Stored(typeof(Wrapped<Opened>).AssemblyQualifiedName!, """{"Value":{"Owner":"Ada","Limit":7}}""")));

    [Fact]
    public void Given_manifests_replace_the_names_of_the_type()
    {
        var events = new JsonEvents().Add<Opened>("opened-v1", "opened-v2");
        Assert.All((string[])["opened-v1", "opened-v2"], manifest => Assert.Equal(new Opened("Ada", 7), events.Decode(Stored(manifest, """{"Owner":"Ada","Limit":7}"""))));
        Assert.Throws<NotSupportedException>(() => events.Decode(Stored("Opened", "{}")));
    }

    [Fact]
    public void A_manifest_may_contain_commas()
    {
        var events = new JsonEvents().Add<Opened>("v1,account,opened").Add<Closed>("v1,account,closed");
        Assert.IsType<Closed>(events.Decode(Stored("v1,account,closed", "{}")));
        Assert.Throws<NotSupportedException>(() => events.Decode(Stored("v1,account,other", "{}")));
    }

    [Fact]
    public void The_given_options_are_used_and_not_changed()
    {
        var options = new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };
        Assert.Equal(new Opened("Ada", 7), new JsonEvents(options).Add<Opened>().Decode(Stored("Opened", """{"owner":"Ada","limit":7}""")));
        Assert.False(options.IsReadOnly);
    }

    [Fact]
    public void A_type_of_a_source_generated_context_is_read_without_reflection()
    {
        // A resolver that knows nothing: reflection would need it.
        var events = new JsonEvents(new() { TypeInfoResolver = EventsContext.Default }).Add(EventsContext.Default.Opened);
        Assert.Equal(new Opened("Ada", 7), events.Decode(Stored("Opened", """{"Owner":"Ada","Limit":7}""")));
        Assert.Throws<NotSupportedException>(() => new JsonEvents(new() { TypeInfoResolver = EventsContext.Default }).Add<Closed>());
    }

    [Fact]
    public void An_unknown_manifest_is_named_with_the_remedy() => Assert.Equal(
        "The manifest \"account-closed\" is not known. Add its type by 'JsonEvents.Add', or pass such events over by 'Ignore' or 'IgnoreOthers'.",
        Assert.Throws<NotSupportedException>(() => new JsonEvents().Add<Opened>().Decode(Stored("account-closed", "{}"))).Message);

    [Theory]
    [InlineData("""{"$id":"1","$type":"Bank.Opened, Bank","Limit":{"$":"I7"}}""", true)]
    [InlineData("""{"Limit":7,"$type":"Bank.Opened, Bank"}""", false)]
    [InlineData("""{"$type":7}""", false)]
    [InlineData("[1]", false)]
    [InlineData("{", false)]
    public void Payloads_of_Akkas_default_serializer_are_recognised(string payload, bool isIt) => Assert.Equal(
        isIt,
        Assert.Throws<NotSupportedException>(() => new JsonEvents().Add<Opened>().Decode(Stored("", payload)))
            .Message.Contains("a Bank.Opened, Bank of Akka.NET's default serializer: 'ThrottledReadJournal.PayloadDecoder'", StringComparison.Ordinal));

    [Fact]
    public void Events_of_ignored_manifests_are_skipped()
    {
        var events = new JsonEvents().Add<Opened>().Ignore("closed", "Bank.Renamed, Bank");
        Assert.Null(events.Decode(Stored("closed", "no json")));
        Assert.Null(events.Decode(Stored("Bank.Renamed, Bank, Version=2.0.0.0", "")));
        Assert.NotNull(events.Decode(Stored("Opened", "{}")));
    }

    [Fact]
    public void Events_of_other_manifests_are_skipped_if_the_others_are_ignored()
    {
        var events = new JsonEvents().Add<Opened>().IgnoreOthers();
        Assert.Null(events.Decode(Stored("closed", "no json")));
        Assert.NotNull(events.Decode(Stored("Opened", "{}")));
    }

    [Fact]
    public void If_manifests_are_only_ignored_other_events_are_json_elements()
    {
        var events = new JsonEvents().Ignore("closed");
        Assert.Null(events.Decode(Stored("closed", "{}")));
        Assert.IsType<JsonElement>(events.Decode(Stored("opened", "{}")));
    }

    [Fact]
    public void A_name_that_two_types_have_is_ambiguous()
    {
        var events = new JsonEvents().Add<Opened>().Add<Elsewhere.Opened>();
        Assert.IsType<Opened>(events.Decode(Stored(typeof(Opened).FullName!, "{}")));
        Assert.IsType<Elsewhere.Opened>(events.Decode(Stored(typeof(Elsewhere.Opened).FullName!, "{}")));
        Assert.Equal(
            "The manifest \"Opened\" is the name of several types: Throttled.Projections.Tests.Json.Opened, Throttled.Projections.Tests.Json.Elsewhere.Opened. "
            + "Add the one that is meant with this manifest.",
            Assert.Throws<NotSupportedException>(() => events.Decode(Stored("Opened", "{}"))).Message);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_given_manifest_wins_over_a_name(bool isFirst)
    {
        var events = isFirst ? new JsonEvents().Add<Closed>("Opened").Add<Opened>() : new JsonEvents().Add<Opened>().Add<Closed>("Opened");
        Assert.IsType<Closed>(events.Decode(Stored("Opened", "{}")));
    }

    [Fact]
    public void A_manifest_is_of_one_type()
    {
        Assert.Equal(
            "The manifest \"m\" is of Throttled.Projections.Tests.Json.Opened already; it cannot be of Throttled.Projections.Tests.Json.Closed too.",
            Assert.Throws<ArgumentException>(() => new JsonEvents().Add<Opened>("m").Add<Closed>("m")).Message);
        Assert.Equal(
            "The manifest \"m\" is ignored already; it cannot be of Throttled.Projections.Tests.Json.Closed too.",
            Assert.Throws<ArgumentException>(() => new JsonEvents().Ignore("m").Add<Closed>("m")).Message);
    }

    [Fact]
    public void No_type_can_be_added_after_the_first_event_was_decoded()
    {
        var events = new JsonEvents().Add<Opened>();
        Assert.NotNull(events.Decode(Stored("Opened", "{}")));
        Assert.Throws<InvalidOperationException>(() => events.Add<Closed>());
        Assert.Throws<InvalidOperationException>(() => events.Ignore("m"));
        Assert.Throws<InvalidOperationException>(events.IgnoreOthers);
    }

    [Theory]
    [InlineData("null")]
    [InlineData("{")]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("""{"Owner":"Ada","Limit":"seven"}""")]
    public void A_payload_that_is_not_of_its_type_is_a_failure(string payload) =>
        Assert.Throws<JsonException>(() => new JsonEvents().Add<Opened>().Decode(Stored("Opened", payload)));

    [Fact]
    public void A_payload_that_was_not_read_fails_with_the_remedy()
    {
        var stored = new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default, Manifest = "Opened", OmittedPayloadBytes = 5000 };
        Assert.All(
            (JsonEvents[])[new(), new JsonEvents().Add<Opened>()],
            events => Assert.Equal(
                "The payload has 5000 bytes and was not read. Raise 'MaxPayloadBytes' of the journal.",
                Assert.Throws<NotSupportedException>(() => events.Decode(stored)).Message));
        Assert.Null(new JsonEvents().Ignore("Opened").Decode(stored));
    }

    [Fact]
    public void Many_threads_decode_at_once()
    {
        var events = new JsonEvents().Add<Opened>();
        var stored = Stored("Opened", """{"Owner":"Ada","Limit":7}""");
        var decoded = new object?[1_000];
        Parallel.For(0, decoded.Length, i => decoded[i] = events.Decode(stored));
        Assert.All(decoded, each => Assert.Equal(new Opened("Ada", 7), each));
    }

    private static JournalEvent Stored(string manifest, string payload) =>
        new() { PersistenceId = "a", SequenceNumber = 1, Payload = Encoding.UTF8.GetBytes(payload), Manifest = manifest };

    internal sealed record Inner(int Number);
}

using System.Text;
using Akka.Actor;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>The decoder for projections and other readers that do not use the read journal.</summary>
public sealed class PayloadDecoderTests() : EnvelopeKit(Config)
{
    private const string Here = "Akka.Persistence.Query.Throttled.Tests.Envelopes";
    private const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private const string Config = $$"""
        akka.actor.serializers.by-type = "{{Here}}.TypedSerializer, {{Assembly}}"
        akka.actor.serializers.plain = "{{Here}}.PlainSerializer, {{Assembly}}"
        akka.actor.serialization-bindings { "{{Here}}.TypedText, {{Assembly}}" = by-type }
        akka.persistence.journal.plugin = "akka.persistence.journal.watched"
        akka.persistence.journal.watched {
          class = "{{Here}}.StartedJournal, {{Assembly}}"
          event-adapters {
            dropping = "{{Here}}.Dropping, {{Assembly}}"
            splitting = "{{Here}}.Splitting, {{Assembly}}"
            throwing = "{{Here}}.Throwing, {{Assembly}}"
            showing = "{{Here}}.Showing, {{Assembly}}"
          }
          event-adapter-bindings {
            "{{Here}}.Unwanted, {{Assembly}}" = dropping
            "{{Here}}.Pair, {{Assembly}}" = splitting
            "{{Here}}.Failing, {{Assembly}}" = throwing
            "{{Here}}.Shown, {{Assembly}}" = showing
          }
        }
        akka.persistence.journal.postgresql {
          class = "Akka.Persistence.PostgreSql.Journal.PostgreSqlJournal, Akka.Persistence.PostgreSql"
          stored-as = json
        }
        akka.persistence.query.journal {
          older.write-plugin = "akka.persistence.journal.postgresql"
          plain.serializer = plain
          wrong.stored-as = xml
        }
        """;

    [Fact]
    public void The_decoder_decodes_and_adapts_like_the_read_journal()
    {
        var decode = ThrottledReadJournal.PayloadDecoder(Sys);
        Assert.Equal(new Kept(1), decode(Stored(1, new Kept(1))));
        Assert.Equal(new TypedText("two", nameof(TypedText)), decode(Stored(2, new TypedText("two", ""))));
        var shown = Stored(3, new Shown(""));
        Assert.Equal(new Shown(shown.Manifest), decode(shown));
    }

    [Fact]
    public void An_event_that_an_adapter_drops_is_skipped() =>
        Assert.Null(ThrottledReadJournal.PayloadDecoder(Sys)(Stored(1, new Unwanted(1))));

    [Fact]
    public void An_event_that_an_adapter_splits_is_an_error_with_the_remedy()
    {
        var error = Assert.Throws<UndecodableEventException>(() => ThrottledReadJournal.PayloadDecoder(Sys)(Stored(2, new Pair(1, 2))));
        Assert.StartsWith(
            "Event 2 of 'a' (ordering 0) cannot be decoded: The event adapter makes 2 events of it; without 'combine', it must make at most one. Its serializer id is 1,",
            error.Message, StringComparison.Ordinal);
        Assert.EndsWith(" Combine them with 'combine' of 'ThrottledReadJournal.PayloadDecoder'.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Split_events_are_combined_by_the_caller() => Assert.Equal(
        [new Part(1), new Part(2)],
        Assert.IsType<IEnumerable<object>>(
            ThrottledReadJournal.PayloadDecoder(Sys, combine: events => events)(Stored(1, new Pair(1, 2))), exactMatch: false));

    [Theory]
    [InlineData("serializer")]
    [InlineData("adapter")]
    public void An_error_names_the_event_and_the_reason(string kind)
    {
        var row = kind == "adapter" ? Stored(7, new Failing(1)) : Row(7, 999, "some", "x");
        var error = Assert.Throws<UndecodableEventException>(() => ThrottledReadJournal.PayloadDecoder(Sys)(row));
        Assert.StartsWith($"Event 7 of 'a' (ordering 0) cannot be decoded: {error.InnerException!.Message} ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith($"manifest \"{row.Manifest}\". Correct the serializer or the event adapter.", error.Message, StringComparison.Ordinal);
        Assert.Equal(("a", 7, row.SerializerId), (error.PersistenceId, error.SequenceNr, error.SerializerId));
    }

    [Fact]
    public void A_payload_that_was_not_read_fails_with_the_remedy()
    {
        var row = new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default, SerializerId = 1, OmittedPayloadBytes = 5000 };
        var error = Assert.Throws<UndecodableEventException>(() => ThrottledReadJournal.PayloadDecoder(Sys)(row));
        Assert.Contains("Its payload has 5000 bytes and was not read.", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("Raise 'MaxPayloadBytes' of the journal.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Rows_without_a_serializer_id_are_read_by_the_section_of_the_read_journal()
    {
        Assert.Equal(
            new PlainText("one", $"{nameof(Kept)} in {Sys.Name}"),
            ThrottledReadJournal.PayloadDecoder(Sys, "akka.persistence.query.journal.plain")(Row(1, null, typeof(Kept).AssemblyQualifiedName!, "one")));
        // The serializer of the write plugin.
        Assert.Equal(
            new Kept(42),
            ThrottledReadJournal.PayloadDecoder(Sys, "akka.persistence.query.journal.older")(
                Row(1, null, typeof(Kept).AssemblyQualifiedName!, """{"Number": 42}""")));
    }

    [Fact]
    public void A_wrong_setting_is_refused_by_its_name() => Assert.Equal(
        "'akka.persistence.query.journal.wrong.stored-as' is \"xml\"; it must be one of bytea, json, jsonb.",
        Assert.Throws<ConfigurationException>(() => ThrottledReadJournal.PayloadDecoder(Sys, "akka.persistence.query.journal.wrong")).Message);

    [Fact]
    public async Task Neither_a_journal_nor_the_write_plugin_is_started()
    {
        Sys.EventStream.Subscribe(TestActor, typeof(Started));
        Assert.NotNull(ThrottledReadJournal.PayloadDecoder(Sys)(Stored(1, new Kept(1))));
        await ExpectNoMsgAsync(TimeSpan.Zero);

        // The journal would publish a message if it were started.
        Persistence.Instance.Apply(Sys).JournalFor("akka.persistence.journal.watched");
        await ExpectMsgAsync<Started>();
    }

    private static JournalEvent Row(long number, int? serializer, string manifest, string payload) => new()
    {
        PersistenceId = "a",
        SequenceNumber = number,
        Payload = Encoding.UTF8.GetBytes(payload),
        SerializerId = serializer,
        Manifest = manifest,
    };
}

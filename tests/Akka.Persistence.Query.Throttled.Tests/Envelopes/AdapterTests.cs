using Akka.Persistence.Query.Throttled.Tests.Streams;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>The read event adapters of the write plugin that the configuration names.</summary>
public class AdapterTests() : EnvelopeKit(Config)
{
    private const string Here = "Akka.Persistence.Query.Throttled.Tests.Envelopes";
    private const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private const string Config = $$"""
        akka.persistence.journal.plugin = "akka.persistence.journal.watched"
        akka.persistence.journal.watched {
          class = "{{Here}}.StartedJournal, {{Assembly}}"
          event-adapters {
            dropping = "{{Here}}.Dropping, {{Assembly}}"
            splitting = "{{Here}}.Splitting, {{Assembly}}"
            plus-ten = "{{Here}}.PlusTen, {{Assembly}}"
            plus-twenty = "{{Here}}.PlusTwenty, {{Assembly}}"
            showing = "{{Here}}.Showing, {{Assembly}}"
          }
          event-adapter-bindings {
            "{{Here}}.Unwanted, {{Assembly}}" = dropping
            "{{Here}}.Pair, {{Assembly}}" = splitting
            "{{Here}}.Combined, {{Assembly}}" = [plus-ten, plus-twenty]
            "{{Here}}.Shown, {{Assembly}}" = showing
          }
        }
        akka.persistence.journal.other {
          class = "{{Here}}.StartedJournal, {{Assembly}}"
          event-adapters.dropping = "{{Here}}.Dropping, {{Assembly}}"
          event-adapter-bindings { "{{Here}}.Kept, {{Assembly}}" = dropping }
        }
        akka.persistence.journal.plain.class = "{{Here}}.StartedJournal, {{Assembly}}"
        """;

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task Every_query_applies_adapters_that_drop_split_and_combine(string query)
    {
        await AppendAsync(
            Stored(1, new Kept(1)), Stored(2, new Unwanted(2)), Stored(3, new Pair(3, 4)), Stored(4, new Combined(5)), Stored(5, new Kept(6)),
            Stored(6, new Kept(7)));
        var envelopes = await ReadAsync(Open("max-buffer-size = 2"), query, 7);
        Assert.Equal(
            [new Kept(1), new Part(3), new Part(4), new Part(15), new Part(25), new Kept(6), new Kept(7)], envelopes.Select(each => each.Event));
        // The parts of one event share its number and offset.
        Assert.Equal([1L, 3, 3, 4, 4, 5, 6], envelopes.Select(each => each.SequenceNr));
        Assert.Equal([1L, 3, 3, 4, 4, 5, 6], envelopes.Select(each => ((Sequence)each.Offset).Value));
        Assert.All(envelopes, each => Assert.Equal(["tag"], each.Tags));
        Assert.Equal(envelopes.Count, envelopes.Select(each => each.Tags).Distinct().Count());
    }

    [Fact]
    public async Task An_adapter_gets_the_manifest_of_the_serializer()
    {
        var manifest = typeof(Shown).AssemblyQualifiedName!;
        var stored = Stored(1, new Shown(""));
        await AppendAsync(new JournalEvent
        {
            PersistenceId = "a", SequenceNumber = 1, Payload = stored.Payload, SerializerId = stored.SerializerId, Manifest = manifest,
        });
        Assert.Equal(new Shown(manifest), Assert.Single(await ReadAsync(Open(), "current all", 1)).Event);
    }

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task Whole_pages_of_dropped_events_neither_end_nor_stop_a_query(string query)
    {
        await AppendAsync([.. Enumerable.Range(1, 20).Select(number => Stored(number, new Unwanted(number)))]);
        var journal = Open("max-buffer-size = 3");
        if (query.StartsWith("current", StringComparison.Ordinal))
        {
            Assert.Empty(await ReadAsync(journal, query, 0));
            return;
        }
        var probe = Way.Run(Query(journal, query));
        await probe.RequestAsync(1);
        await AppendAsync(Stored(21, new Unwanted(21)));
        await AppendAsync(Stored(22, new Kept(22)));
        Assert.Equal(new Kept(22), (await probe.ExpectNextAsync()).Event);
        await probe.CancelAsync();
    }

    [Fact]
    public async Task Another_write_plugin_has_its_own_adapters()
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Unwanted(2)));
        var envelopes = await ReadAsync(Open("write-plugin = akka.persistence.journal.other"), "current all", 1);
        Assert.Equal([new Unwanted(2)], envelopes.Select(each => each.Event));
    }

    [Fact]
    public async Task With_a_write_plugin_without_adapters_events_are_unchanged()
    {
        await AppendAsync(Stored(1, new Unwanted(1)), Stored(2, new Pair(2, 3)));
        var envelopes = await ReadAsync(Open("write-plugin = akka.persistence.journal.plain"), "current all", 2);
        Assert.Equal([new Unwanted(1), new Pair(2, 3)], envelopes.Select(each => each.Event));
    }

    [Fact]
    public async Task The_write_plugin_is_not_started()
    {
        Sys.EventStream.Subscribe(TestActor, typeof(Started));
        await AppendAsync(Stored(1, new Kept(1)));
        Assert.Single(await ReadAsync(Open(), "current all", 1));
        await ExpectNoMsgAsync(TimeSpan.Zero);

        // The journal would publish a message if it were started.
        Persistence.Instance.Apply(Sys).JournalFor("akka.persistence.journal.watched");
        await ExpectMsgAsync<Started>();
    }
}

public sealed class NoWritePluginTests : EnvelopeKit
{
    [Fact]
    public async Task Without_a_write_plugin_events_are_unchanged()
    {
        await AppendAsync(Stored(1, new Unwanted(1)), Stored(2, new Pair(2, 3)));
        var envelopes = await ReadAsync(Open(), "current by id", 2);
        Assert.Equal([new Unwanted(1), new Pair(2, 3)], envelopes.Select(each => each.Event));
    }
}

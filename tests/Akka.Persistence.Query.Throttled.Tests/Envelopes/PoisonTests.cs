using System.Text;
using Akka.Event;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>Events that cannot be decoded.</summary>
public class PoisonTests() : EnvelopeKit(Config)
{
    private const string Here = "Akka.Persistence.Query.Throttled.Tests.Envelopes";
    private const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private const string Config = $$"""
        akka.persistence.journal.plugin = "akka.persistence.journal.test"
        akka.persistence.journal.test {
          class = "{{Here}}.StartedJournal, {{Assembly}}"
          event-adapters.throwing = "{{Here}}.Throwing, {{Assembly}}"
          event-adapter-bindings { "{{Here}}.Failing, {{Assembly}}" = throwing }
        }
        """;

    private static readonly string[] Names = ["serializer", "type", "bytes", "adapter", "legacy type", "legacy bytes"];

    /// <summary>Every kind of undecodable event in one current and one live query, and one kind in every query.</summary>
    public static TheoryData<string, string> Kinds
    {
        get
        {
            var kinds = new TheoryData<string, string>();
            foreach (var query in new[] { "by tag", "current by id" })
            {
                foreach (var kind in Names)
                    kinds.Add(query, kind);
            }
            foreach (var query in new[] { "by id", "current by tag", "all", "current all", "slices", "current slices" })
                kinds.Add(query, Names[0]);
            return kinds;
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_undecodable_event_fails_its_query_with_the_remedy(string query, string kind)
    {
        var poison = Poison(2, kind);
        await AppendAsync(Stored(1, new Kept(1)));
        await AppendAsync(poison);
        var error = Assert.IsType<UndecodableEventException>(await FailureAsync(Open(), query));
        Assert.Equal(("a", 2, new Sequence(2)), (error.PersistenceId, error.SequenceNr, error.Offset));
        Assert.Equal((poison.SerializerId, poison.Manifest), (error.SerializerId, error.Manifest));
        Assert.StartsWith($"Event 2 of 'a' (ordering 2) cannot be decoded: {error.InnerException!.Message} ", error.Message, StringComparison.Ordinal);
        Assert.Contains($"serializer id is {poison.SerializerId?.ToString() ?? "missing"}", error.Message, StringComparison.Ordinal);
        Assert.Contains($"manifest \"{poison.Manifest}\"", error.Message, StringComparison.Ordinal);
        Assert.Contains("'akka.persistence.query.journal.throttled.on-undecodable-event'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_can_continue_after_an_undecodable_event()
    {
        await AppendAsync(Stored(1, new Kept(1)));
        await AppendAsync(Poison(2, "type"));
        await AppendAsync(Stored(3, new Kept(3)));
        var journal = Open();
        var error = Assert.IsType<UndecodableEventException>(await FailureAsync(journal, "by tag"));
        foreach (var rest in (Source<EventEnvelope, NotUsed>[])[
            journal.CurrentEventsByTag("tag", error.Offset), journal.CurrentAllEvents(error.Offset),
            journal.CurrentEventsByPersistenceId(error.PersistenceId, error.SequenceNr + 1, long.MaxValue)])
            Assert.Equal(new Kept(3), Assert.Single(await Way.ReadAsync(rest)).Event);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_undecodable_event_is_skipped_if_configured(string query, string kind)
    {
        await AppendAsync(Stored(1, new Kept(1)), Poison(2, kind), Poison(3, kind), Stored(4, new Kept(4)));
        var envelopes = await ReadAsync(Open("on-undecodable-event = skip\nmax-buffer-size = 1"), query, 2);
        Assert.Equal([1L, 4], envelopes.Select(each => each.SequenceNr));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_undecodable_event_is_delivered_as_stored_if_configured(string query, string kind)
    {
        var poison = Poison(2, kind);
        await AppendAsync(Stored(1, new Kept(1)), poison, Stored(3, new Kept(3)));
        var envelopes = await ReadAsync(Open("on-undecodable-event = deliver"), query, 3);
        Assert.Equal([new Sequence(1), new Sequence(2), new Sequence(3)], envelopes.Select(each => each.Offset));
        var undecodable = Assert.IsType<UndecodableEvent>(envelopes[1].Event);
        Assert.Equal(poison.Payload.ToArray(), undecodable.Payload.ToArray());
        Assert.Equal((poison.SerializerId, poison.Manifest), (undecodable.SerializerId, undecodable.Manifest));
        Assert.Equal(
            $"An event that cannot be decoded (serializer id {poison.SerializerId?.ToString() ?? "missing"}, manifest \"{poison.Manifest}\", "
            + $"{poison.Payload.Length} bytes): {undecodable.Cause.Message}", undecodable.ToString());
        Assert.Equal(["tag"], envelopes[1].Tags);
        Assert.Equal(new Kept(3), envelopes[2].Event);
    }

    [Fact]
    public async Task Skipped_events_are_logged_once_for_each_type()
    {
        Sys.EventStream.Subscribe(TestActor, typeof(Warning));
        await AppendAsync([.. Enumerable.Range(1, 10).Select(number => Poison(number, number % 2 == 0 ? "serializer" : "legacy type"))]);
        var journal = Open("on-undecodable-event = skip");
        Assert.Empty(await ReadAsync(journal, "current all", 0));
        Assert.Empty(await ReadAsync(journal, "current by id", 0));
        var first = await ExpectMsgAsync<Warning>();
        var second = await ExpectMsgAsync<Warning>();
        await ExpectNoMsgAsync(TimeSpan.Zero);
        Assert.StartsWith("Event 1 of 'a' (ordering 1) was skipped, because it cannot be decoded; ", first.Message.ToString(), StringComparison.Ordinal);
        Assert.Contains("serializer id missing, manifest \"No.Such.Type, Nowhere\"", first.Message.ToString(), StringComparison.Ordinal);
        Assert.StartsWith("Event 2 of 'a' (ordering 2) was skipped, because it cannot be decoded; ", second.Message.ToString(), StringComparison.Ordinal);
        Assert.Contains("serializer id 999, manifest \"some\"", second.Message.ToString(), StringComparison.Ordinal);
    }

    private JournalEvent Poison(long number, string kind) => kind switch
    {
        "serializer" => Row(number, 999, "some", "x"),
        "type" => Row(number, 1, "No.Such.Type, Nowhere", "{}"),
        "bytes" => Row(number, 1, Stored(1, new Kept(1)).Manifest, "{ this is no JSON"),
        "adapter" => Stored(number, new Failing(1)),
        "legacy type" => Row(number, null, "No.Such.Type, Nowhere", "{}"),
        "legacy bytes" => Row(number, null, typeof(Kept).AssemblyQualifiedName!, "{ this is no JSON"),
        _ => throw new ArgumentOutOfRangeException(nameof(kind)),
    };

    private static JournalEvent Row(long number, int? serializer, string manifest, string payload) => new()
    {
        PersistenceId = "a",
        SequenceNumber = number,
        Payload = Encoding.UTF8.GetBytes(payload),
        SerializerId = serializer,
        Manifest = manifest,
        Tags = ["tag"],
    };
}

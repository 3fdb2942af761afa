using Akka.Event;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>Events whose payload is above the limit are handled like events that cannot be decoded.</summary>
public class LargePayloadTests : EnvelopeKit
{
    private const string Setting = "'akka.persistence.query.journal.throttled.max-payload-bytes'";

    private int _size;

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task A_large_payload_fails_its_query_with_the_remedy(string query)
    {
        await AppendAsync(First(), Large(2));
        var error = Assert.IsType<UndecodableEventException>(await FailureAsync(Open(Limit()), query));
        Assert.Equal(("a", 2, new Sequence(2)), (error.PersistenceId, error.SequenceNr, error.Offset));
        Assert.Equal(_size + 1, error.OmittedPayloadBytes);
        Assert.StartsWith(
            $"Event 2 of 'a' (ordering 2) cannot be decoded: Its payload has {_size + 1} bytes; {Setting} is {_size}. Its serializer id is ",
            error.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            $" Raise {Setting}, or set 'akka.persistence.query.journal.throttled.on-undecodable-event' to skip or deliver.",
            error.Message, StringComparison.Ordinal);
        Assert.IsType<JournalException>(error.InnerException);
    }

    [Fact]
    public async Task Events_before_a_large_payload_are_delivered_and_a_query_can_continue_after_it()
    {
        await AppendAsync(First(), Large(2), Stored(3, new Kept(3)));
        var journal = Open(Limit());
        var before = await Way.ReadAsync(journal.CurrentAllEvents(Offset.NoOffset()), 1);
        var error = Assert.IsType<UndecodableEventException>(await FailureAsync(journal, "current all"));
        var behind = await Way.ReadAsync(journal.CurrentAllEvents(error.Offset));
        Assert.Equal([new Kept(1), new Kept(3)], before.Concat(behind).Select(each => each.Event));
    }

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task A_large_payload_is_skipped_if_configured(string query)
    {
        await AppendAsync(First(), Large(2), Large(3), Stored(4, new Kept(4)));
        var envelopes = await ReadAsync(Open($"on-undecodable-event = skip\nmax-buffer-size = 1\n{Limit()}"), query, 2);
        Assert.Equal([1L, 4], envelopes.Select(each => each.SequenceNr));
    }

    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task An_event_with_a_large_payload_is_delivered_without_it_if_configured(string query)
    {
        var large = Large(2);
        await AppendAsync(First(), large, Stored(3, new Kept(3)));
        var envelopes = await ReadAsync(Open($"on-undecodable-event = deliver\n{Limit()}"), query, 3);
        Assert.Equal([new Sequence(1), new Sequence(2), new Sequence(3)], envelopes.Select(each => each.Offset));
        var undecodable = Assert.IsType<UndecodableEvent>(envelopes[1].Event);
        Assert.True(undecodable.Payload.IsEmpty);
        Assert.Equal(_size + 1, undecodable.OmittedPayloadBytes);
        Assert.Equal((large.SerializerId, large.Manifest), (undecodable.SerializerId, undecodable.Manifest));
        Assert.Equal(
            $"An event that cannot be decoded (serializer id {large.SerializerId}, manifest \"{large.Manifest}\", {_size + 1} bytes): "
            + $"Its payload has {_size + 1} bytes; {Setting} is {_size}.", undecodable.ToString());
        Assert.Equal(["tag"], envelopes[1].Tags);
        Assert.Equal(new Kept(3), envelopes[2].Event);
    }

    [Fact]
    public async Task A_skipped_large_event_does_not_suppress_the_log_of_the_first_undecodable_one_of_its_type()
    {
        Sys.EventStream.Subscribe(TestActor, typeof(Warning));
        await AppendAsync(First(), Large(2), Large(3), Broken(4), Broken(5));
        Assert.Single(await ReadAsync(Open($"on-undecodable-event = skip\n{Limit()}"), "current all", 1));
        var first = await ExpectMsgAsync<Warning>();
        var second = await ExpectMsgAsync<Warning>();
        await ExpectNoMsgAsync(TimeSpan.Zero);
        Assert.StartsWith("Event 2 of 'a' (ordering 2) was skipped", first.Message.ToString(), StringComparison.Ordinal);
        Assert.EndsWith($"Its payload has {_size + 1} bytes; {Setting} is {_size}.", first.Message.ToString(), StringComparison.Ordinal);
        Assert.StartsWith("Event 4 of 'a' (ordering 4) was skipped", second.Message.ToString(), StringComparison.Ordinal);
    }

    private string Limit() => $"max-payload-bytes = {_size}";

    // The largest allowed payload.
    private JournalEvent First()
    {
        var first = Stored(1, new Kept(1));
        _size = first.Payload.Length;
        return first;
    }

    // White space at the end changes only the length.
    private JournalEvent Large(long number) => With(number, [.. Stored(number, new Kept(1)).Payload.Span, (byte)' ']);

    private JournalEvent Broken(long number) => With(number, "{ this is no JSON"u8.ToArray());

    private JournalEvent With(long number, byte[] payload)
    {
        var stored = Stored(number, new Kept(1));
        return new()
        {
            PersistenceId = stored.PersistenceId,
            SequenceNumber = stored.SequenceNumber,
            Payload = payload,
            SerializerId = stored.SerializerId,
            Manifest = stored.Manifest,
            Tags = stored.Tags,
        };
    }
}

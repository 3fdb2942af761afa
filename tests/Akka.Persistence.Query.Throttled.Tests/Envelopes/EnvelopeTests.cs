using Akka.Persistence.Query.Throttled.Tests.Streams;
using Akka.Persistence.Query.Throttled.Tests.Ways;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

public class EnvelopeTests : EnvelopeKit
{
    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task An_event_has_the_same_envelope_in_every_query(string query)
    {
        // Orderings then differ from sequence numbers.
        await AppendAsync(new JournalEvent { PersistenceId = "b", SequenceNumber = 1, Payload = new byte[] { 9 }, SerializerId = 4 });
        await AppendAsync(
            new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[] { 1 }, SerializerId = 4, Timestamp = 638_000_000_000_000_001, Tags = ["tag", "red"] },
            new JournalEvent { PersistenceId = "a", SequenceNumber = 2, Payload = new byte[] { 2 }, SerializerId = 4, Timestamp = 638_000_000_000_000_002, Tags = ["tag"] });
        var envelopes = (await ReadAsync(Open(), query, query is "all" or "slices" ? 3 : 2)).Where(each => each.PersistenceId == "a").ToList();
        Assert.Equal([new Sequence(2), new Sequence(3)], envelopes.Select(each => each.Offset));
        Assert.Equal([1L, 2], envelopes.Select(each => each.SequenceNr));
        Assert.Equal([638_000_000_000_000_001, 638_000_000_000_000_002], envelopes.Select(each => each.Timestamp));
        Assert.Equal([[1], [2]], envelopes.Select(each => (byte[])each.Event));
        Assert.Equal(["red", "tag"], envelopes[0].Tags.Order());
        Assert.Equal(["tag"], envelopes[1].Tags);
    }

    [Fact]
    public async Task An_event_may_have_very_many_tags_or_none()
    {
        string[] many = [.. Enumerable.Range(0, 200).Select(number => $"tag-{number:000}")];
        await AppendAsync(new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = new byte[1], SerializerId = 4, Tags = many });
        await AppendAsync(new JournalEvent { PersistenceId = "a", SequenceNumber = 2, Payload = new byte[1], SerializerId = 4 });
        var envelopes = await ReadAsync(Open(), "current by id", 2);
        Assert.Equal(many, envelopes[0].Tags.Order());
        Assert.Empty(envelopes[1].Tags);
    }

    [Fact]
    public async Task Queries_that_follow_the_tail_together_share_neither_tags_nor_bytes()
    {
        var journal = Open();
        var probes = new[] { "by tag", "by tag", "by id", "by id" }
            .Select(query => Way.Run(Query(journal, query))).ToList();
        foreach (var probe in probes)
            await probe.RequestAsync(2);
        await AppendAsync(Stored(1, new byte[] { 1, 2, 3 }));
        List<EventEnvelope> envelopes = [];
        foreach (var probe in probes)
        {
            var envelope = await probe.ExpectNextAsync();
            Assert.Equal(["tag"], envelope.Tags);
            Assert.Equal([1, 2, 3], (byte[])envelope.Event);
            // A change to one envelope must not be visible in another.
            envelope.Tags[0] = "changed";
            ((byte[])envelope.Event)[0] = 9;
            envelopes.Add(envelope);
        }
        Assert.Equal(envelopes.Count, envelopes.Select(each => each.Tags).Distinct().Count());
        foreach (var probe in probes)
            await probe.CancelAsync();
    }

    [Fact]
    public async Task Persistence_ids_are_delivered_now_and_when_they_are_new()
    {
        await AppendAsync(Stored(1, "one"), Stored(2, "two"));
        var journal = Open();
        Assert.Equal(["a"], await Way.ReadAsync(journal.CurrentPersistenceIds()));
        var probe = Way.Run(journal.PersistenceIds());
        await probe.RequestAsync(10);
        Assert.Equal("a", await probe.ExpectNextAsync());
        await AppendAsync(new JournalEvent { PersistenceId = "b", SequenceNumber = 1, Payload = new byte[1], SerializerId = 999 });
        Assert.Equal("b", await probe.ExpectNextAsync());
        await probe.CancelAsync();
    }
}

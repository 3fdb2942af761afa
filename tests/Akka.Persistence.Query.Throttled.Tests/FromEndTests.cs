using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary><c>Offset.FromEnd</c>: the last n events.</summary>
public class FromEndTests : EnvelopeKit
{
    /// <summary>All queries in journal order.</summary>
    public static TheoryData<string> Ordered => ["by tag", "current by tag", "all", "current all", "slices", "current slices"];

    [Theory]
    [MemberData(nameof(Ordered))]
    public async Task The_last_events_have_offsets_to_continue_from(string query)
    {
        await AppendAsync([.. Enumerable.Range(1, 5).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 1");
        var events = await ReadAsync(Query(journal, query, Offset.FromEnd(2)), query, 2);
        Assert.Equal([new Kept(4), new Kept(5)], events.Select(each => each.Event));
        Assert.Equal([new Sequence(4), new Sequence(5)], events.Select(each => each.Offset));
        Assert.Equal(5, (await ReadAsync(Query(journal, query, Offset.FromEnd(9)), query, 5)).Count);
        Assert.Equal(new Kept(5), Assert.Single(await ReadAsync(Query(journal, query, events[0].Offset), query, 1)).Event);
    }

    [Theory]
    [InlineData("by tag")]
    [InlineData("all")]
    [InlineData("slices")]
    public async Task Each_run_of_a_source_begins_from_the_journal_end_at_its_start(string query)
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var source = Query(Open(), query, Offset.FromEnd(1));
        Assert.Equal(new Kept(2), Assert.Single(await ReadAsync(source, query, 1)).Event);
        await AppendAsync(Stored(3, new Kept(3)));
        Assert.Equal(new Kept(3), Assert.Single(await ReadAsync(source, query, 1)).Event);
    }

    [Fact]
    public async Task A_journal_of_one_shard_has_an_end_too()
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = Open($"connection-string = \"\"\nshards = [\"{ConnectionString}\"]");
        Assert.Equal(new Kept(2), Assert.Single(await ReadAsync(journal.CurrentAllEvents(Offset.FromEnd(1)), "current all", 1)).Event);
    }

    private static Source<EventEnvelope, NotUsed> Query(ThrottledReadJournal journal, string query, Offset offset) => query switch
    {
        "by tag" => journal.EventsByTag("tag", offset),
        "current by tag" => journal.CurrentEventsByTag("tag", offset),
        "all" => journal.AllEvents(offset),
        "current all" => journal.CurrentAllEvents(offset),
        "slices" => journal.EventsBySlices(0, 1023, offset),
        _ => journal.CurrentEventsBySlices(0, 1023, offset),
    };

    private Task<IReadOnlyList<EventEnvelope>> ReadAsync(Source<EventEnvelope, NotUsed> source, string query, int count) =>
        Way.ReadAsync(source, query.StartsWith("current", StringComparison.Ordinal) ? null : count);
}

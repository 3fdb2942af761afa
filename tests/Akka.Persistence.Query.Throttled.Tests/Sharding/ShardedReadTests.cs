using Akka.Actor;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>A read journal over two shards, configured only by the write plugin.</summary>
public class ShardedReadTests : ShardedKit
{
    private const int EventsEach = 7;

    public static TheoryData<string> Queries => ["all", "tag", "slices"];

    [Fact]
    public async Task Every_shard_has_its_own_engine_and_throttler()
    {
        Assert.Equal([0, 1], Journal.Engines.Select(engine => engine.Options.Shard!.Shard));
        Assert.All(Journal.Engines, engine => Assert.Equal(ThrottledReadJournal.Identifier, engine.Options.Name));
        var probe = CreateTestProbe();
        Sys.ActorSelection("/system/query-throttler-*").Tell(new Identify("throttler"), probe);
        var throttlers = await probe.ReceiveNAsync(2, TimeSpan.FromSeconds(30)).ToListAsync();
        // A name has the journal and the shard; a number at the end makes it unique.
        Assert.Equal(
            ["query-throttler-akka.persistence.query.journal.throttled-shard-0", "query-throttler-akka.persistence.query.journal.throttled-shard-1"],
            throttlers.Cast<ActorIdentity>().Select(each => each.Subject.Path.Name).Select(name => name[..name.LastIndexOf('-')]).Order());
    }

    [Theory]
    [MemberData(nameof(Queries))]
    public async Task From_any_offset_stored_as_text_nothing_is_lost_or_doubled(string query)
    {
        await AppendAsync(Events(1, EventsEach));
        var all = await AllOfAsync(Current(query, Offset.NoOffset()));
        Assert.Equal(2 * EventsEach, all.Select(Key).Distinct().Count());
        AssertInOrder(all);

        for (var cut = 0; cut < all.Count; cut++)
        {
            var rest = await AllOfAsync(Current(query, ShardedOffset.Parse(all[cut].Offset.ToString())));
            Assert.Equal(all.Select(Key).Order(), all.Take(cut + 1).Concat(rest).Select(Key).Order());
            AssertInOrder(rest);
        }
    }

    [Theory]
    [MemberData(nameof(Queries))]
    public async Task An_offset_of_all_events_is_valid_in_every_query(string query)
    {
        await AppendAsync(Events(1, EventsEach));
        var all = await AllOfAsync(Journal.CurrentAllEvents(Offset.NoOffset()));
        foreach (var cut in (int[])[0, EventsEach, all.Count - 1])
            Assert.Equal(all.Skip(cut + 1).Select(Key).Order(), (await AllOfAsync(Current(query, all[cut].Offset))).Select(Key).Order());
    }

    [Theory]
    [MemberData(nameof(Queries))]
    public async Task Live_queries_continue_from_an_offset_with_new_events(string query)
    {
        await AppendAsync(Events(1, 3));
        var before = await FirstAsync(Live(query, Offset.NoOffset()), 4);
        await using var live = LiveReading.Of(Way.ItemsAsync(Live(query, ShardedOffset.Parse(before[^1].Offset.ToString()))));
        await live.UntilAsync(2);
        await AppendAsync(Events(4, 5));
        var after = await live.UntilAsync(6);

        Assert.Equal(Events(1, 5).Select(each => (each.PersistenceId, each.SequenceNumber)).Order(), before.Concat(after).Select(Key).Order());
        Assert.Empty(await AllOfAsync(Current(query, after[^1].Offset)));
    }

    [Fact]
    public async Task A_source_begins_at_its_start_in_each_run()
    {
        await AppendAsync(Events(1, 2));
        var source = Journal.CurrentAllEvents(Offset.NoOffset());
        var (one, two) = (await AllOfAsync(source), await AllOfAsync(source));
        Assert.Equal(one.Select(Key).Order(), two.Select(Key).Order());
        Assert.Equal("0-511:2,512-1023:2", one[^1].Offset.ToString());
        Assert.Equal(one[^1].Offset, two[^1].Offset);
        // The offset of the first event has one event, in either shard.
        Assert.Equal(1, two[0].Offset is ShardedOffset { Position: var first } ? first[0] + first[1] : 0);
    }

    [Fact]
    public async Task Queries_of_one_shard_keep_the_ordering_of_the_other()
    {
        await AppendAsync(Events(1, 2));
        var start = ShardedOffset.Parse("0-511:1,512-1023:1");
        var events = await AllOfAsync(Journal.CurrentEventsBySlices(512, 1023, start));
        Assert.Equal([(Ids[1], 2L)], events.Select(Key));
        Assert.Equal("0-511:1,512-1023:2", events[0].Offset.ToString());
    }

    [Fact]
    public async Task An_offset_by_persistence_id_is_the_ordering_within_the_shard()
    {
        await AppendAsync(Events(1, 3));
        foreach (var id in Ids)
        {
            var events = await AllOfAsync(Journal.CurrentEventsByPersistenceId(id, 2, long.MaxValue));
            Assert.Equal([(id, 2L), (id, 3L)], events.Select(Key));
            Assert.Equal([new Sequence(2), new Sequence(3)], events.Select(each => each.Offset));
            Assert.Equal([1L, 2, 3], (await FirstAsync(Journal.EventsByPersistenceId(id, 0, long.MaxValue), 3)).Select(each => each.SequenceNr));
        }
    }

    [Fact]
    public async Task Persistence_ids_are_those_of_all_shards()
    {
        await AppendAsync(Events(1, 1));
        Assert.Equal(Ids.Order(), (await AllOfAsync(Journal.CurrentPersistenceIds())).Order());
        Assert.Equal(Ids.Order(), (await FirstAsync(Journal.PersistenceIds(), 2)).Order());
    }

    [Fact]
    public async Task When_the_system_ends_the_streams_of_every_shard_fail_as_closed()
    {
        await AppendAsync(Events(1, 1));
        var streams = Ids.Select(id => Journal.EventsByPersistenceId(id, 0, long.MaxValue)).Append(Journal.AllEvents(Offset.NoOffset()))
            .Select(Way.FailureAsync).ToList();
        await Task.WhenAll(Journal.Engines.Select(engine => engine.DisposeAsync().AsTask())).WithinAsync("the end of the engines");
        foreach (var stream in streams)
            Assert.IsType<JournalClosedException>(await stream);
    }

    // In order within each shard, which has one id.
    private static void AssertInOrder(IReadOnlyList<EventEnvelope> events) => Assert.All(Ids, id =>
    {
        var numbers = events.Where(each => each.PersistenceId == id).Select(each => each.SequenceNr).ToList();
        Assert.Equal(numbers.Order(), numbers);
    });

    private JournalEvent[] Events(int first, int last) =>
        [.. Enumerable.Range(first, last - first + 1).SelectMany(number => Ids.Select(id => Stored(id, number, $"{number}")))];

    private Source<EventEnvelope, NotUsed> Current(string query, Offset offset) => query switch
    {
        "all" => Journal.CurrentAllEvents(offset),
        "tag" => Journal.CurrentEventsByTag(Tag, offset),
        _ => Journal.CurrentEventsBySlices(0, 1023, offset),
    };

    private Source<EventEnvelope, NotUsed> Live(string query, Offset offset) => query switch
    {
        "all" => Journal.AllEvents(offset),
        "tag" => Journal.EventsByTag(Tag, offset),
        _ => Journal.EventsBySlices(0, 1023, offset),
    };
}

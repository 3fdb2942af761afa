using Akka.Actor;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>Events are decoded and adapted by the settings of their shard's write plugin.</summary>
public class ShardedEnvelopeTests() : ShardedKit(Config)
{
    private const string Here = "Akka.Persistence.Query.Throttled.Tests.Envelopes";
    private const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private const string Config = $$"""
        shards.s0 {
          event-adapters { splitting = "{{Here}}.Splitting, {{Assembly}}", dropping = "{{Here}}.Dropping, {{Assembly}}" }
          event-adapter-bindings { "{{Here}}.Pair, {{Assembly}}" = splitting, "{{Here}}.Unwanted, {{Assembly}}" = dropping }
        }
        shards.s1 {
          event-adapters { throwing = "{{Here}}.Throwing, {{Assembly}}", splitting = "{{Here}}.Splitting, {{Assembly}}" }
          event-adapter-bindings { "{{Here}}.Failing, {{Assembly}}" = throwing, "{{Here}}.Pair, {{Assembly}}" = splitting }
        }
        """;

    [Fact]
    public async Task Events_that_an_adapter_splits_share_one_offset()
    {
        await AppendAsync(Stored(Ids[0], 1, new Pair(1, 2)), Stored(Ids[1], 1, new Pair(3, 4)), Stored(Ids[0], 2, new Kept(5)));
        var events = await AllOfAsync(Journal.CurrentAllEvents(Offset.NoOffset()));
        Assert.Equal(5, events.Count);
        Assert.All(events.GroupBy(Key), parts => Assert.Single(parts.Select(each => each.Offset).Distinct()));
        Assert.Equal(3, events.Select(each => each.Offset).Distinct().Count());
        Assert.Equal([new Part(1), new Part(2)], events.Where(each => Key(each) == (Ids[0], 1)).Select(each => each.Event));
    }

    [Fact]
    public async Task A_dropped_event_moves_the_offset_of_the_next_one()
    {
        await AppendAsync(Stored(Ids[0], 1, new Unwanted(1)), Stored(Ids[0], 2, new Kept(2)));
        Assert.Equal("0-511:2,512-1023:0", Assert.Single(await AllOfAsync(Journal.CurrentAllEvents(Offset.NoOffset()))).Offset.ToString());
    }

    [Fact]
    public async Task Each_shard_uses_the_adapters_of_its_write_plugin()
    {
        await AppendAsync(Stored(Ids[0], 1, new Unwanted(1)), Stored(Ids[1], 1, new Unwanted(1)));
        Assert.Equal([(Ids[1], 1L)], (await AllOfAsync(Journal.CurrentEventsByTag(Tag, Offset.NoOffset()))).Select(Key));
        Assert.Empty(await AllOfAsync(Journal.CurrentEventsByPersistenceId(Ids[0], 0, long.MaxValue)));
        Assert.Single(await AllOfAsync(Journal.CurrentEventsByPersistenceId(Ids[1], 0, long.MaxValue)));

        var decode = ThrottledReadJournal.PayloadDecoder(Sys);
        Assert.Null(decode(Stored(Ids[0], 1, new Unwanted(1))));
        Assert.Equal(new Unwanted(1), decode(Stored(Ids[1], 1, new Unwanted(1))));
    }

    [Fact]
    public async Task A_query_continues_after_the_offset_of_an_undecodable_event()
    {
        await AppendAsync(Stored(Ids[1], 1, new Kept(1)), Stored(Ids[1], 2, new Failing(2)), Stored(Ids[1], 3, new Kept(3)));
        var error = await Assert.ThrowsAsync<UndecodableEventException>(() => AllOfAsync(Journal.CurrentAllEvents(Offset.NoOffset())));
        Assert.Equal("0-511:0,512-1023:2", error.Offset.ToString());
        Assert.Equal([(Ids[1], 3L)], (await AllOfAsync(Journal.CurrentAllEvents(error.Offset))).Select(Key));

        var byId = await Assert.ThrowsAsync<UndecodableEventException>(() => AllOfAsync(Journal.CurrentEventsByPersistenceId(Ids[1], 0, long.MaxValue)));
        Assert.Equal(new Sequence(2), byId.Offset);
    }

    [Fact]
    public void The_size_of_an_offset_does_not_grow_with_the_number_of_shards()
    {
        const int Rows = 1_000;
        var (map, system) = (ShardMap.Even(1_024), (ExtendedActorSystem)Sys);
        var settings = SettingsFile.Read(Sys, Sys.Settings.Config.GetConfig(ThrottledReadJournal.Identifier))[0];
        var plain = new EventDecoder(new(system, null, false), WritePluginAdapters.Of(system, null), settings, Sys.Log);
        IItemDecoder<JournalEvent, EventEnvelope> positioned = new PositionedDecoder([.. Enumerable.Repeat(plain, map.Count)], ShardedPosition.At(map));
        var rows = Enumerable.Range(1, Rows).Select(n => new JournalEvent
        {
            PersistenceId = "a", SequenceNumber = n, Ordering = n, SerializerId = 4, Payload = new byte[] { 1 },
        }).ToList();
        var (few, many) = (AllocatedBy(plain, rows), AllocatedBy(positioned.OfOneStream(), rows));
        // An array of all orderings would need 8 KB for each event.
        Assert.InRange((many - few) / Rows, 1, 100);
    }

    private static long AllocatedBy(IItemDecoder<JournalEvent, EventEnvelope> decoder, List<JournalEvent> rows)
    {
        Assert.NotNull(decoder.Decode(rows[0], out _));
        var before = GC.GetAllocatedBytesForCurrentThread();
        rows.ForEach(row => decoder.Decode(row, out _));
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}

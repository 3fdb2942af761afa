using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>Offsets without a meaning in a journal are refused and not treated as the start.</summary>
public sealed class RefusedOffsetTests : ShardedKit
{
    public static TheoryData<string, string> Refused => new()
    {
        {
            "42",
            "The offset is Sequence(42), but the journal has 2 shards, and each numbers its own events; it must be a ShardedOffset from an envelope, or NoOffset "
            + "for the first event. If the number was stored before the journal was divided with its orderings kept, pass "
            + "new ShardedOffset(ShardedPosition.At(ShardMap.Parse(\"0-511,512-1023\"), 42)) (docs/sharding.md)."
        },
        { "-1", "The offset is Sequence(-1); it must be at least 0. NoOffset begins with the first event." },
        {
            "last",
            "The offset is FromEnd(3), but the journal has 2 shards, and events of different shards have no common order; it must be a ShardedOffset from an envelope, or "
            + "NoOffset for the first event."
        },
        { "uuid", "The offset is a TimeBasedUuid; it must be a ShardedOffset from an envelope, or NoOffset for the first event." },
        {
            "0-99:1,100-1023:2",
            "The position has the shards \"0-99,100-1023\", but the journal has \"0-511,512-1023\". The journal's shard 0-511 has events of several shards of the position. "
            + "Begin at the start, or open the journal with the shards of the position."
        },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void Every_query_in_order_fails_with_the_reason(string text, string message)
    {
        var offset = Of(text);
        foreach (var query in Queries(Journal))
        {
            var error = Assert.Throws<ArgumentException>(() => query(offset));
            Assert.Equal("offset", error.ParamName);
            Assert.StartsWith(message, error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Every_form_of_the_start_is_the_start()
    {
        await AppendAsync([.. Ids.Select(id => Stored(id, 1, "one"))]);
        foreach (var offset in (Offset[])[null!, Offset.NoOffset(), Offset.Sequence(0), ShardedOffset.Parse("0-511:0,512-1023:0"), ShardedOffset.Parse("0-1023:0")])
            Assert.Equal(2, (await AllOfAsync(Journal.CurrentAllEvents(offset))).Count);
    }

    [Fact]
    public async Task The_call_that_the_message_names_carries_over_a_number_from_before_the_division()
    {
        await AppendAsync([.. Ids.SelectMany(id => (JournalEvent[])[Stored(id, 1, "1"), Stored(id, 2, "2"), Stored(id, 3, "3")])]);
        foreach (var offset in (Offset[])[new ShardedOffset(ShardedPosition.At(ShardMap.Parse("0-511,512-1023"), 2)), ShardedOffset.Parse("0-1023:2")])
        {
            var events = await AllOfAsync(Journal.CurrentAllEvents(offset));
            Assert.Equal(Ids.Select(id => (id, 3L)).Order(), events.Select(Key).Order());
            Assert.Equal("0-511:3,512-1023:3", events[1].Offset.ToString());
        }
    }

    private static Offset Of(string text) => text switch
    {
        "uuid" => Offset.TimeBasedUuid(Guid.Empty),
        "last" => Offset.FromEnd(3),
        _ when long.TryParse(text, out var number) => Offset.Sequence(number),
        _ => ShardedOffset.Parse(text),
    };

    private static Func<Offset, Source<EventEnvelope, NotUsed>>[] Queries(ThrottledReadJournal journal) =>
    [
        journal.AllEvents, journal.CurrentAllEvents,
        offset => journal.EventsByTag(Tag, offset), offset => journal.CurrentEventsByTag(Tag, offset),
        offset => journal.EventsBySlices(0, 600, offset), offset => journal.CurrentEventsBySlices(0, 600, offset),
    ];
}

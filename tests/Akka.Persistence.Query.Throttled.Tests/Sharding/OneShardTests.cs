using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Sharding;

/// <summary>A journal of one shard is read like an unsharded journal.</summary>
public class OneShardTests : EnvelopeKit
{
    public static TheoryData<bool> Both => [true, false];

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Offsets_are_sequences_and_offsets_of_one_shard_are_accepted(bool isListed)
    {
        await AppendAsync(Stored(1, new Kept(1)), Stored(2, new Kept(2)));
        var journal = OpenOne(isListed);
        foreach (var offset in (Offset[])[Offset.Sequence(1), ShardedOffset.Parse("0-1023:1")])
        {
            var events = await Way.ReadAsync(journal.CurrentAllEvents(offset));
            Assert.Equal(new Sequence(2), Assert.Single(events).Offset);
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public void An_offset_of_several_shards_is_refused_with_the_reason(bool isListed)
    {
        var journal = OpenOne(isListed);
        var error = Assert.Throws<ArgumentException>(() => journal.EventsByTag("tag", ShardedOffset.Parse("0-511:1,512-1023:2")));
        Assert.Equal("offset", error.ParamName);
        Assert.StartsWith(
            "The position has the shards \"0-511,512-1023\", but the journal has \"0-1023\". The journal's shard 0-1023 has events of several shards of the position.",
            error.Message, StringComparison.Ordinal);
    }

    private ThrottledReadJournal OpenOne(bool isListed) =>
        Open(isListed ? $"connection-string = \"\"\nshards = [\"{ConnectionString}\"]" : "");
}

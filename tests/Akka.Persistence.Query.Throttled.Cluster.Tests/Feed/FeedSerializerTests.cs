using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Feed;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

public sealed class FeedSerializerTests
{
    private static readonly JournalEvent Stored = new()
    {
        Ordering = long.MaxValue,
        PersistenceId = "konto-ü",
        SequenceNumber = 7,
        Timestamp = 638_000_000_000_000_001,
        SerializerId = -1,
        Manifest = "m",
        Tags = ["a", "b"],
        Payload = new byte[] { 1, 2, 3 },
    };

    public static TheoryData<int> Messages() => [.. Enumerable.Range(0, All().Length)];

    [Theory]
    [MemberData(nameof(Messages))]
    public void A_message_survives(int index)
    {
        var message = All()[index];
        Assert.Equivalent(message, Decoded(message, []), strict: true);
    }

    [Theory]
    [MemberData(nameof(Messages))]
    public void Fields_that_a_newer_version_adds_are_ignored(int index)
    {
        var message = All()[index];
        Assert.Equivalent(message, Decoded(message, [1, 2, 3]), strict: true);
    }

    [Fact]
    public void An_event_survives_with_all_its_fields()
    {
        var batch = (FeedBatch)Decoded(All()[1], []);
        var (first, old, omitted, reference) = (batch.Events[0].Stored, batch.Events[1].Stored, batch.Events[2].Stored, batch.Events[3]);
        Assert.Equal(Stored.Payload.ToArray(), first.Payload.ToArray());
        Assert.Equal((Stored.ToString(), Stored.Timestamp, -1, "m"), (first.ToString(), first.Timestamp, first.SerializerId, first.Manifest));
        Assert.Equal(["a", "b"], first.Tags);
        Assert.Null(old.SerializerId);
        Assert.Equal(5_000_000, omitted.OmittedPayloadBytes);
        Assert.True(reference.IsReference);
        Assert.Equal("large 2 (9)", reference.Stored.ToString());
    }

    [Fact]
    public void A_batch_stays_below_the_size_that_was_estimated()
    {
        var batch = (FeedBatch)All()[1];
        Assert.InRange(new FeedSerializer(null!).ToBinary(batch).Length, 1, batch.Events.Sum(each => FeedFrames.BytesOf(each.Stored)) + 100);
    }

    [Fact]
    public void No_manifest_names_a_type() => Assert.Equal(
        ["FD1", "FB1", "FY1", "FR1", "FL1"], All().Select(new FeedSerializer(null!).Manifest));

    // As version 0.1.0 wrote them. If this fails, nodes of two versions do not understand each other in a rolling update: give the message a new manifest.
    [Theory]
    [MemberData(nameof(Written))]
    public void A_message_has_the_bytes_that_other_versions_know(int index, string bytes)
    {
        var (serializer, message) = (new FeedSerializer(null!), All()[index]);
        Assert.Equal(bytes, Convert.ToHexString(serializer.ToBinary(message)));
        Assert.Equivalent(message, serializer.FromBinary(Convert.FromHexString(bytes), serializer.Manifest(message)), strict: true);
    }

    [Fact]
    public async Task Every_message_of_the_feed_has_this_serializer()
    {
        Assert.Equal(
            typeof(FeedMessage).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(FeedMessage))).Select(type => type.Name).Order(StringComparer.Ordinal),
            All().Select(message => message.GetType().Name).Order(StringComparer.Ordinal));
        var system = ActorSystem.Create("serializers", ThrottledFeedExtensions.Reference);
        Assert.All(All(), message => Assert.IsType<FeedSerializer>(system.Serialization.FindSerializerFor(message)));
        await system.Terminate();
    }

    public static TheoryData<int, string> Written() => new()
    {
        {
            0,
            "046C616E650305000000000000000600000000000000F4030100FF0301"
        },
        {
            1,
            "046C616E650005000000000000000600000000000000090000000000000000010402FFFFFFFFFFFFFFFF7F086B6F6E746F2DC3BC070100B3A69EA1DA"
            + "08FFFFFFFF0F016D0201610162030102030008036F6C640100000000000000000000000608076F6D697474656401000000000000000004C096B10200"
            + "00000109056C6172676502"
        },
        {
            2,
            "046C616E650005000000000000000600000000000000"
        },
        {
            3,
            "046C616E65004D00000000000000"
        },
        {
            4,
            "046C616E65000500000000000000"
        },
    };

    private static object Decoded(FeedMessage message, byte[] more)
    {
        var serializer = new FeedSerializer(null!);
        return serializer.FromBinary([.. serializer.ToBinary(message), .. more], serializer.Manifest(message));
    }

    private static FeedMessage[] All() =>
    [
        new FeedDemand("lane", 3) { Epoch = 5, After = 6, Credit = 500, Slices = new(1, 1023), IsReading = true },
        new FeedBatch("lane", 0)
        {
            Epoch = 5,
            After = 6,
            Through = 9,
            IsLast = false,
            IsFollowing = true,
            Events =
            [
                new(Stored, false),
                new(new() { Ordering = 8, PersistenceId = "old", SequenceNumber = 1, Payload = default }, false),
                new(new() { Ordering = 8, PersistenceId = "omitted", SequenceNumber = 1, Payload = default, SerializerId = 4, OmittedPayloadBytes = 5_000_000 }, false),
                new(new() { Ordering = 9, PersistenceId = "large", SequenceNumber = 2, Payload = default }, true),
            ],
        },
        new ReadYourself("lane", 0) { Epoch = 5, After = 6 },
        new FeedRewound("lane", 0) { Ordering = 77 },
        new FeedLeave("lane", 0) { Epoch = 5 },
    ];
}

using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Throttled.Journal;

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
            IsLevel = true,
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

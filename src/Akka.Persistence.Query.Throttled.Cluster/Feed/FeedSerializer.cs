using System.Runtime.Serialization;
using System.Text;
using Akka.Actor;
using Akka.Serialization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Cluster.Feed;

/// <summary>
/// Encodes the messages of the feed. A newer version may add fields at the end of a message; this one ignores them. Fields that an older version
/// does not have get defaults.
/// </summary>
internal sealed class FeedSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    private const string Demand = "FD1";
    private const string Batch = "FB1";
    private const string Away = "FY1";
    private const string Rewound = "FR1";
    private const string Leave = "FL1";

    [Flags]
    private enum EventFields : byte
    {
        None = 0,
        Reference = 1,
        SerializerId = 2,
        OmittedPayload = 4,
    }

    public override int Identifier => 7392;

    public override string Manifest(object o) => o switch
    {
        FeedDemand => Demand,
        FeedBatch => Batch,
        ReadYourself => Away,
        FeedRewound => Rewound,
        FeedLeave => Leave,
        _ => throw new ArgumentException($"{o.GetType()} is no message of the feed."),
    };

    public override byte[] ToBinary(object obj)
    {
        var message = (FeedMessage)obj;
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes, Encoding.UTF8);
        writer.Write(message.Lane);
        writer.Write7BitEncodedInt(message.Shard);
        switch (message)
        {
            case FeedDemand demand:
                Write(writer, demand.Epoch, demand.After);
                writer.Write7BitEncodedInt(demand.Credit);
                writer.Write((short)demand.Slices.First);
                writer.Write((short)demand.Slices.Last);
                writer.Write(demand.IsReading);
                break;
            case FeedBatch batch:
                Write(writer, batch);
                break;
            case ReadYourself away:
                Write(writer, away.Epoch, away.After);
                break;
            case FeedRewound rewound:
                writer.Write(rewound.Ordering);
                break;
            case FeedLeave leave:
                writer.Write(leave.Epoch);
                break;
        }
        writer.Flush();
        return bytes.ToArray();
    }

    public override object FromBinary(byte[] bytes, string manifest)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes), Encoding.UTF8);
        var (lane, shard) = (reader.ReadString(), reader.Read7BitEncodedInt());
        return manifest switch
        {
            Demand => new FeedDemand(lane, shard)
            {
                Epoch = reader.ReadInt64(),
                After = reader.ReadInt64(),
                Credit = reader.Read7BitEncodedInt(),
                Slices = new(reader.ReadInt16(), reader.ReadInt16()),
                IsReading = reader.ReadBoolean(),
            },
            Batch => new FeedBatch(lane, shard)
            {
                Epoch = reader.ReadInt64(),
                After = reader.ReadInt64(),
                Through = reader.ReadInt64(),
                IsLast = reader.ReadBoolean(),
                IsFollowing = reader.ReadBoolean(),
                Events = ReadEvents(reader),
            },
            Away => new ReadYourself(lane, shard) { Epoch = reader.ReadInt64(), After = reader.ReadInt64() },
            Rewound => new FeedRewound(lane, shard) { Ordering = reader.ReadInt64() },
            Leave => new FeedLeave(lane, shard) { Epoch = reader.ReadInt64() },
            _ => throw new SerializationException($"\"{manifest}\" is no manifest of the feed; another node has a newer version."),
        };
    }

    private static void Write(BinaryWriter writer, long first, long second)
    {
        writer.Write(first);
        writer.Write(second);
    }

    private static void Write(BinaryWriter writer, FeedBatch batch)
    {
        Write(writer, batch.Epoch, batch.After);
        writer.Write(batch.Through);
        writer.Write(batch.IsLast);
        writer.Write(batch.IsFollowing);
        writer.Write7BitEncodedInt(batch.Events.Count);
        foreach (var each in batch.Events)
            Write(writer, each);
    }

    private static void Write(BinaryWriter writer, FeedEvent each)
    {
        var stored = each.Stored;
        writer.Write((byte)(
            (each.IsReference ? EventFields.Reference : 0)
            | (stored.SerializerId is not null ? EventFields.SerializerId : 0)
            | (stored.OmittedPayloadBytes > 0 ? EventFields.OmittedPayload : 0)));
        writer.Write7BitEncodedInt64(stored.Ordering);
        writer.Write(stored.PersistenceId);
        writer.Write7BitEncodedInt64(stored.SequenceNumber);
        if (each.IsReference)
            return;
        writer.Write(stored.Timestamp);
        if (stored.SerializerId is { } serializer)
            writer.Write7BitEncodedInt(serializer);
        if (stored.OmittedPayloadBytes > 0)
            writer.Write7BitEncodedInt(stored.OmittedPayloadBytes);
        writer.Write(stored.Manifest);
        writer.Write7BitEncodedInt(stored.Tags.Count);
        foreach (var tag in stored.Tags)
            writer.Write(tag);
        writer.Write7BitEncodedInt(stored.Payload.Length);
        writer.Write(stored.Payload.Span);
    }

    private static FeedEvent[] ReadEvents(BinaryReader reader)
    {
        var events = new FeedEvent[reader.Read7BitEncodedInt()];
        for (var index = 0; index < events.Length; index++)
            events[index] = ReadEvent(reader);
        return events;
    }

    private static FeedEvent ReadEvent(BinaryReader reader)
    {
        var fields = (EventFields)reader.ReadByte();
        var (ordering, id, number) = (reader.Read7BitEncodedInt64(), reader.ReadString(), reader.Read7BitEncodedInt64());
        if (fields.HasFlag(EventFields.Reference))
            return new(new() { Ordering = ordering, PersistenceId = id, SequenceNumber = number, Payload = default }, IsReference: true);
        return new(
            new()
            {
                Ordering = ordering,
                PersistenceId = id,
                SequenceNumber = number,
                Timestamp = reader.ReadInt64(),
                SerializerId = fields.HasFlag(EventFields.SerializerId) ? reader.Read7BitEncodedInt() : null,
                OmittedPayloadBytes = fields.HasFlag(EventFields.OmittedPayload) ? reader.Read7BitEncodedInt() : 0,
                Manifest = reader.ReadString(),
                Tags = ReadTags(reader),
                Payload = reader.ReadBytes(reader.Read7BitEncodedInt()),
            },
            IsReference: false);
    }

    private static string[] ReadTags(BinaryReader reader)
    {
        var tags = new string[reader.Read7BitEncodedInt()];
        for (var index = 0; index < tags.Length; index++)
            tags[index] = reader.ReadString();
        return tags;
    }
}

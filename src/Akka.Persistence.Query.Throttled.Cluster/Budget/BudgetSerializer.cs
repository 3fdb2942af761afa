using System.Globalization;
using System.Runtime.Serialization;
using Akka.Actor;
using Akka.Cluster;
using Akka.Serialization;

namespace Akka.Persistence.Query.Throttled.Cluster.Budget;

/// <summary>
/// Writes the messages of the budget. Fields after the known ones are ignored, so a later version may add fields. A message with another meaning gets
/// another manifest.
/// </summary>
internal sealed class BudgetSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    internal const int Id = 7391;

    private const string Request = "q1";
    private const string Ack = "a1";
    private const string Released = "r1";

    public override int Identifier => Id;

    public override string Manifest(object o) => o switch
    {
        ShareRequest => Request,
        ShareAck => Ack,
        ShareReleased => Released,
        _ => throw Unknown(o.GetType().Name),
    };

    public override byte[] ToBinary(object obj)
    {
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes);
        switch (obj)
        {
            case ShareRequest request:
                writer.Write(request.From);
                break;
            case ShareAck ack:
                writer.Write(ack.From);
                writer.Write(ack.Counted.Count);
                foreach (var uid in ack.Counted)
                    writer.Write(uid);
                break;
            case ShareReleased released:
                writer.Write(released.From);
                break;
            default:
                throw Unknown(obj.GetType().Name);
        }
        return bytes.ToArray();
    }

    public override object FromBinary(byte[] bytes, string manifest)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes));
        return manifest switch
        {
            Request => new ShareRequest(reader.ReadNode()),
            Ack => new ShareAck(reader.ReadNode(), [.. Enumerable.Range(0, reader.ReadInt32()).Select(_ => reader.ReadInt64())]),
            Released => new ShareReleased(reader.ReadNode()),
            _ => throw Unknown(manifest),
        };
    }

    private static SerializationException Unknown(string what) => new($"The serializer of the cluster's budget does not know '{what}'.");
}

/// <summary>How the address of a node is written in messages between nodes.</summary>
internal static class NodeFormat
{
    internal static void Write(this BinaryWriter writer, UniqueAddress node)
    {
        writer.Write(node.Address.ToString());
        writer.Write((long)node.Uid);
    }

    internal static UniqueAddress ReadNode(this BinaryReader reader) => new(Address.Parse(reader.ReadString()), checked((int)reader.ReadInt64()));

    /// <summary>The addresses of nodes, for log messages.</summary>
    internal static string Listed(this IEnumerable<UniqueAddress> nodes) =>
        string.Join(", ", nodes.Select(node => string.Create(CultureInfo.InvariantCulture, $"{node.Address.Host}:{node.Address.Port}")).Order(StringComparer.Ordinal));
}

using System.Globalization;
using Akka.Actor;
using Akka.Cluster;

namespace Akka.Persistence.Query.Throttled.Cluster.Messages;

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

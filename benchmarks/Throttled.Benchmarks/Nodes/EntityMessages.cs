using System.Text;
using Akka.Actor;
using Akka.Cluster.Sharding;
using Akka.Serialization;

namespace Throttled.Benchmarks.Nodes;

/// <summary>A message to an entity.</summary>
internal abstract record EntityMessage(string Id);

/// <summary>An event of the entity's persistence id.</summary>
internal sealed record EntityEvent(string Id, long Number) : EntityMessage(Id);

/// <summary>The entity answers when it is in memory.</summary>
internal sealed record Wake(string Id) : EntityMessage(Id);

/// <summary>The entity reads its events by a live query of its own.</summary>
internal sealed record ReadByYourself(string Id) : EntityMessage(Id);

internal sealed class EntityExtractor() : HashCodeMessageExtractor(30)
{
    public override string? EntityId(object message) => (message as EntityMessage)?.Id;
}

/// <summary>Encodes the messages, which cross nodes.</summary>
internal sealed class EntitySerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    internal static string Hocon =>
        $$"""
        akka.actor {
          serializers.entity = "{{typeof(EntitySerializer).FullName}}, {{typeof(EntitySerializer).Assembly.GetName().Name}}"
          serialization-bindings."{{typeof(EntityMessage).FullName}}, {{typeof(EntityMessage).Assembly.GetName().Name}}" = entity
        }
        """;

    public override int Identifier => 7411;

    public override string Manifest(object o) => o switch
    {
        EntityEvent => "E1",
        Wake => "W1",
        ReadByYourself => "R1",
        _ => throw new ArgumentException($"A {o.GetType().Name} is not a message to entities.", nameof(o)),
    };

    public override byte[] ToBinary(object obj)
    {
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes, Encoding.UTF8);
        writer.Write(((EntityMessage)obj).Id);
        if (obj is EntityEvent one)
            writer.Write(one.Number);
        writer.Flush();
        return bytes.ToArray();
    }

    public override object FromBinary(byte[] bytes, string manifest)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes, writable: false), Encoding.UTF8);
        var id = reader.ReadString();
        return manifest switch
        {
            "E1" => new EntityEvent(id, reader.ReadInt64()),
            "W1" => new Wake(id),
            "R1" => new ReadByYourself(id),
            _ => throw new ArgumentException($"The manifest '{manifest}' is unknown.", nameof(manifest)),
        };
    }
}

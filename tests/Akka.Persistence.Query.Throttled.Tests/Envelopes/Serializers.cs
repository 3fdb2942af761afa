using System.Text;
using Akka.Actor;
using Akka.Serialization;
using AkkaSerialization = Akka.Serialization.Serialization;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>A text, and what its serializer knew when it read the text.</summary>
internal abstract record Text(string Value, string How);

internal sealed record ManifestText(string Value, string How) : Text(Value, How);

internal sealed record TypedText(string Value, string How) : Text(Value, How);

internal sealed record PlainText(string Value, string How) : Text(Value, How);

/// <summary>A serializer with its own manifest.</summary>
internal sealed class ManifestSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    public override int Identifier => 7001;

    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((Text)obj).Value);

    public override object FromBinary(byte[] bytes, string manifest) => new ManifestText(Encoding.UTF8.GetString(bytes), manifest);

    public override string Manifest(object o) => "version 2";
}

/// <summary>A serializer with the name of the type as manifest.</summary>
internal sealed class TypedSerializer(ExtendedActorSystem system) : Serializer(system)
{
    public override int Identifier => 7002;

    public override bool IncludeManifest => true;

    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((Text)obj).Value);

    public override object FromBinary(byte[] bytes, Type type) => new TypedText(Encoding.UTF8.GetString(bytes), type?.Name ?? "no type");
}

/// <summary>A serializer without a manifest. Its events contain whether it can serialize actor references.</summary>
internal sealed class PlainSerializer(ExtendedActorSystem system) : Serializer(system)
{
    public override int Identifier => 7003;

    public override bool IncludeManifest => false;

    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((Text)obj).Value);

    public override object FromBinary(byte[] bytes, Type type) =>
        new PlainText(Encoding.UTF8.GetString(bytes), $"{type?.Name ?? "no type"} in {AkkaSerialization.GetCurrentTransportInformation().System.Name}");
}

/// <summary>An event that contains an actor reference.</summary>
internal sealed record Introduced(IActorRef Actor);

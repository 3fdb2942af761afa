using System.Text;
using Akka.Actor;
using Akka.Serialization;
using CrushTest.Actors;
using CrushTest.Settings;

namespace CrushTest.Databases;

/// <summary>The payloads of the events. An actor system can decode all of them.</summary>
internal sealed record CrushPayload
{
    private const int ByteArraySerializer = 4;

    /// <summary>Small byte arrays, which need no decoding.</summary>
    internal static CrushPayload Deposits { get; } = new()
    {
        Name = "bytes",
        Content = "bytes",
        Serializer = "none",
        SerializerId = ByteArraySerializer,
        Bytes = static number => Encoding.UTF8.GetBytes($$$"""{"$id":"1","amount":{"$":"I{{{number % 100_000:D5}}}"}}"""),
    };

    /// <summary>All names for <c>--payload</c>.</summary>
    internal static IReadOnlyList<string> Names { get; } = ["bytes", "int", "record", "json_int", "json_record", "protobuf_int", "protobuf_record"];

    /// <summary>The name for <c>--payload</c>. Part of the journal's name.</summary>
    internal required string Name { get; init; }

    /// <summary>What is stored: bytes, int or record.</summary>
    internal required string Content { get; init; }

    /// <summary>The serializer, for the reports.</summary>
    internal required string Serializer { get; init; }

    internal required int SerializerId { get; init; }

    internal string Manifest { get; init; } = "";

    /// <summary>The payload of a sequence number.</summary>
    internal required Func<int, byte[]> Bytes { get; init; }

    /// <exception cref="CrushException">There is no payload of this name.</exception>
    internal static CrushPayload Named(string name) => name switch
    {
        "bytes" => Deposits,
        "int" or "record" => Written(name, name, "Newtonsoft", static system => system.Serialization.FindSerializerForType(typeof(object))),
        "json_int" or "json_record" => Written(name, name[5..], "System.Text.Json", static system => new JsonPayloads(system)),
        "protobuf_int" or "protobuf_record" => Written(name, name[9..], "protobuf", static system => new ProtobufPayloads(system)),
        _ => throw new CrushException($"--payload is '{name}'; it must be one of {string.Join(", ", Names)}. Leave it out for bytes."),
    };

    /// <summary>Byte arrays of a size that no database can compress.</summary>
    internal static CrushPayload OfSize(int bytes) => Deposits with
    {
        Name = $"{bytes}b",
        Bytes = number =>
        {
            var random = new byte[bytes];
            new Random(number).NextBytes(random);
            return random;
        },
    };

    /// <summary>What a sequence number stands for, before it is written.</summary>
    internal static object ValueOf(string content, int number) =>
        content == "int" ? number : new Deposit($"account-{number:D8}", "Salary of November", 100L * number, number);

    // As an actor system writes it. All ids share the few byte arrays.
    private static CrushPayload Written(string name, string content, string serializerName, Func<ExtendedActorSystem, Serializer> find)
    {
        using var system = (ExtendedActorSystem)ActorSystem.Create("payloads", ActorConfig.Quiet);
        var serializer = find(system);
        List<byte[]> written = [];
        return new()
        {
            Name = name,
            Content = content,
            Serializer = serializerName,
            SerializerId = serializer.Identifier,
            Manifest = Akka.Serialization.Serialization.ManifestFor(serializer, ValueOf(content, 1)),
            Bytes = number =>
            {
                while (written.Count < number)
                    written.Add(serializer.ToBinary(ValueOf(content, written.Count + 1)));
                return written[number - 1];
            },
        };
    }
}

/// <summary>A small record, as an application stores it.</summary>
internal sealed record Deposit(string Account, string Text, long Cents, int Number);

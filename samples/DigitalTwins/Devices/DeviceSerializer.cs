using System.Text;
using Akka.Actor;
using Akka.Serialization;

namespace DigitalTwins.Devices;

/// <summary>Serializes the messages and the event. Manifests have the version, so that a later version can read what this one wrote.</summary>
internal sealed class DeviceSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    private const string ReadManifest = "R1";
    private const string UpdateManifest = "U1";
    private const string AnswerManifest = "A1";
    private const string UpdatedManifest = "E1";

    public override int Identifier => 7401;

    public override string Manifest(object o) => o switch
    {
        Read => ReadManifest,
        Update => UpdateManifest,
        Answer => AnswerManifest,
        Updated => UpdatedManifest,
        _ => throw new ArgumentException($"A {o.GetType().Name} is not a message of devices.", nameof(o)),
    };

    public override byte[] ToBinary(object obj) => obj switch
    {
        Read read => Encoding.UTF8.GetBytes(read.Device),
        Update update => Write(update.Device, update.Payload),
        Answer answer => Write(answer),
        Updated updated => updated.Payload,
        _ => throw new ArgumentException($"A {obj.GetType().Name} is not a message of devices.", nameof(obj)),
    };

    public override object FromBinary(byte[] bytes, string manifest)
    {
        using var reader = new BinaryReader(new MemoryStream(bytes, writable: false), Encoding.UTF8);
        return manifest switch
        {
            ReadManifest => new Read(Encoding.UTF8.GetString(bytes)),
            UpdateManifest => new Update(reader.ReadString(), reader.ReadBytes(reader.Read7BitEncodedInt())),
            AnswerManifest => new Answer(reader.ReadInt64(), reader.ReadBytes(reader.Read7BitEncodedInt())),
            UpdatedManifest => new Updated(bytes),
            _ => throw new ArgumentException($"The manifest '{manifest}' is of a later version.", nameof(manifest)),
        };
    }

    private static byte[] Write(string device, byte[] payload) => Write(payload, writer => writer.Write(device));

    private static byte[] Write(Answer answer) => Write(answer.Latest, writer => writer.Write(answer.Updates));

    private static byte[] Write(byte[] payload, Action<BinaryWriter> first)
    {
        using var stream = new MemoryStream(payload.Length + 32);
        using var writer = new BinaryWriter(stream, Encoding.UTF8);
        first(writer);
        writer.Write7BitEncodedInt(payload.Length);
        writer.Write(payload);
        return stream.ToArray();
    }
}

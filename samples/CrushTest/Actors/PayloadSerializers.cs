using System.Text.Json;
using System.Text.Json.Serialization;
using Akka.Actor;
using Akka.Serialization;
using CrushTest.Databases;
using Google.Protobuf;

namespace CrushTest.Actors;

/// <summary>A serializer of an application for the payloads of the crush test. Its manifests are one letter.</summary>
internal abstract class PayloadSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    protected const string Number = "N";
    protected const string Record = "D";

    public override string Manifest(object o) => o is int ? Number : Record;
}

/// <summary>System.Text.Json with generated code.</summary>
internal sealed class JsonPayloads(ExtendedActorSystem system) : PayloadSerializer(system)
{
    public override int Identifier => 7_001;

    public override byte[] ToBinary(object obj) => obj is Deposit deposit
        ? JsonSerializer.SerializeToUtf8Bytes(deposit, PayloadContext.Default.Deposit)
        : JsonSerializer.SerializeToUtf8Bytes((int)obj, PayloadContext.Default.Int32);

    public override object FromBinary(byte[] bytes, string manifest) => manifest == Record
        ? JsonSerializer.Deserialize(bytes, PayloadContext.Default.Deposit)!
        : JsonSerializer.Deserialize(bytes, PayloadContext.Default.Int32);
}

[JsonSerializable(typeof(int))]
[JsonSerializable(typeof(Deposit))]
internal sealed partial class PayloadContext : JsonSerializerContext;

/// <summary>Messages of protobuf. What protoc would generate is written by hand: an int is a message with one field.</summary>
internal sealed class ProtobufPayloads(ExtendedActorSystem system) : PayloadSerializer(system)
{
    private static readonly uint Account = WireFormat.MakeTag(1, WireFormat.WireType.LengthDelimited);
    private static readonly uint Text = WireFormat.MakeTag(2, WireFormat.WireType.LengthDelimited);
    private static readonly uint Cents = WireFormat.MakeTag(3, WireFormat.WireType.Varint);
    private static readonly uint Count = WireFormat.MakeTag(4, WireFormat.WireType.Varint);

    public override int Identifier => 7_002;

    public override byte[] ToBinary(object obj)
    {
        using var bytes = new MemoryStream();
        using (var output = new CodedOutputStream(bytes, leaveOpen: true))
        {
            var deposit = obj as Deposit;
            if (deposit is not null)
            {
                output.WriteTag(Account);
                output.WriteString(deposit.Account);
                output.WriteTag(Text);
                output.WriteString(deposit.Text);
                output.WriteTag(Cents);
                output.WriteInt64(deposit.Cents);
            }
            output.WriteTag(Count);
            output.WriteInt32(deposit?.Number ?? (int)obj);
        }
        return bytes.ToArray();
    }

    public override object FromBinary(byte[] bytes, string manifest)
    {
        var input = new CodedInputStream(bytes);
        var (account, text, cents, number) = ("", "", 0L, 0);
        for (var tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            if (tag == Account)
                account = input.ReadString();
            else if (tag == Text)
                text = input.ReadString();
            else if (tag == Cents)
                cents = input.ReadInt64();
            else if (tag == Count)
                number = input.ReadInt32();
            else
                input.SkipLastField();
        }
        return manifest == Record ? new Deposit(account, text, cents, number) : number;
    }
}

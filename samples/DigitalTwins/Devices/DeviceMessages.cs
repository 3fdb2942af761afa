using System.Buffers.Binary;
using Akka.Cluster.Sharding;

namespace DigitalTwins.Devices;

/// <summary>What <see cref="DeviceSerializer"/> serializes: messages between nodes, and events.</summary>
internal interface IDeviceMessage;

/// <summary>A message to a device.</summary>
internal interface IToDevice : IDeviceMessage
{
    string Device { get; }
}

/// <summary>Asks for the latest update.</summary>
internal sealed record Read(string Device) : IToDevice;

/// <summary>Changes the device.</summary>
internal sealed record Update(string Device, byte[] Payload) : IToDevice;

/// <summary>The answer of a device.</summary>
/// <param name="Latest">The latest update for <see cref="Read"/>, empty if there is none; empty for <see cref="Update"/>.</param>
internal sealed record Answer(long Updates, byte[] Latest) : IDeviceMessage;

/// <summary>The event: a value, and random bytes.</summary>
/// <param name="Payload">500 bytes. The first eight are the value.</param>
internal sealed record Updated(byte[] Payload) : IDeviceMessage
{
    internal const int Size = 500;

    internal long Value => ValueOf(Payload);

    internal static long ValueOf(byte[] payload) => BinaryPrimitives.ReadInt64LittleEndian(payload);

    internal static byte[] RandomPayload()
    {
        var payload = new byte[Size];
        Random.Shared.NextBytes(payload);
        return payload;
    }
}

/// <summary>Says to which device a message goes, and to which of the cluster's shards the device belongs.</summary>
internal sealed class DeviceExtractor() : HashCodeMessageExtractor(Shards)
{
    // Of 1 to 4 nodes and of 6, each gets as many as the others.
    private const int Shards = 60;

    public override string? EntityId(object message) => (message as IToDevice)?.Device;
}

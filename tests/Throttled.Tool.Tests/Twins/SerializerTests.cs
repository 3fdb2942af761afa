extern alias twins;

using twins::DigitalTwins.Devices;

namespace Throttled.Tool.Tests.Twins;

public sealed class SerializerTests
{
    private static readonly byte[] Payload = Updated.RandomPayload();

    public static TheoryData<object> Messages => [new Read("device-ü"), new Update("device-1", Payload), new Answer(7, Payload), new Answer(0, []), new Updated(Payload)];

    [Theory]
    [MemberData(nameof(Messages), DisableDiscoveryEnumeration = true)]
    public void A_message_is_read_as_it_was_written(object message)
    {
        var serializer = new DeviceSerializer(null!);
        var read = serializer.FromBinary(serializer.ToBinary(message), serializer.Manifest(message));
        Assert.Equivalent(message, read, strict: true);
    }

    [Fact]
    public void An_event_has_500_bytes() => Assert.Equal(500, new DeviceSerializer(null!).ToBinary(new Updated(Payload)).Length);
}

extern alias crush;

using Akka.Actor;
using crush::CrushTest.Actors;
using crush::CrushTest.Databases;

namespace Throttled.Tool.Tests.Crush;

/// <summary>The payloads that the crush test stores.</summary>
public sealed class PayloadTests
{
    public static TheoryData<string> Decoded() => [.. CrushPayload.Names.Where(name => name != "bytes")];

    [Theory]
    [MemberData(nameof(Decoded))]
    public void An_actor_system_decodes_each_payload_to_what_was_written(string name)
    {
        var payload = CrushPayload.Named(name);
        using var system = ActorSystem.Create("payloads", ActorConfig.Quiet);

        foreach (var number in new[] { 1, 100, 2, 70_000 })
        {
            var decoded = system.Serialization.Deserialize(payload.Bytes(number), payload.SerializerId, payload.Manifest);
            Assert.Equal(CrushPayload.ValueOf(payload.Content, number), decoded);
        }
    }

    [Fact]
    public void No_two_payloads_have_the_same_serializer_and_content() =>
        Assert.Equal(CrushPayload.Names.Count, CrushPayload.Names.Select(CrushPayload.Named).DistinctBy(each => (each.Serializer, each.Content)).Count());

    [Theory]
    [InlineData(16)]
    [InlineData(10_000)]
    public void Bytes_of_a_size_have_that_size_and_differ_by_number(int size)
    {
        var payload = CrushPayload.OfSize(size);
        Assert.All([1, 2], number => Assert.Equal(size, payload.Bytes(number).Length));
        Assert.Equal(payload.Bytes(3), payload.Bytes(3));
        Assert.NotEqual(payload.Bytes(1), payload.Bytes(2));
    }
}

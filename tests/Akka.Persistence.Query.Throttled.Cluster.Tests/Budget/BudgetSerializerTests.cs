using System.Runtime.Serialization;
using Akka.Actor;
using Akka.Cluster;
using Akka.Persistence.Query.Throttled.Cluster.Budget;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

public sealed class BudgetSerializerTests
{
    private static readonly UniqueAddress Node = new(new Address("akka.tcp", "app", "host", 4053), -7);

    private readonly BudgetSerializer _serializer = new(null!);

    [Fact]
    public void Every_message_comes_back_as_it_was()
    {
        Assert.Equal(new ShareRequest(Node), Copy(new ShareRequest(Node)));
        Assert.Equal(new ShareReleased(Node), Copy(new ShareReleased(Node)));
        var ack = Assert.IsType<ShareAck>(Copy(new ShareAck(Node, [1, -7])));
        Assert.Equal(Node, ack.From);
        Assert.Equal([1, -7], ack.Counted);
    }

    [Fact]
    public void Fields_of_a_later_version_are_ignored()
    {
        byte[] bytes = [.. _serializer.ToBinary(new ShareRequest(Node)), 1, 2, 3];
        Assert.Equal(new ShareRequest(Node), _serializer.FromBinary(bytes, "q1"));
    }

    // As version 0.1.0 wrote them. If this fails, nodes of two versions do not understand each other in a rolling update: give the message a new manifest.
    [Fact]
    public void The_messages_have_the_bytes_that_other_versions_know()
    {
        const string node = "18616B6B612E7463703A2F2F61707040686F73743A34303533F9FFFFFFFFFFFFFF";
        (object Message, string Manifest, string Bytes)[] written =
        [
            (new ShareRequest(Node), "q1", node),
            (new ShareAck(Node, [1, -7]), "a1", node + "020000000100000000000000F9FFFFFFFFFFFFFF"),
            (new ShareReleased(Node), "r1", node),
        ];
        Assert.All(written, each =>
        {
            Assert.Equal((each.Manifest, each.Bytes), (_serializer.Manifest(each.Message), Convert.ToHexString(_serializer.ToBinary(each.Message))));
            Assert.Equivalent(each.Message, _serializer.FromBinary(Convert.FromHexString(each.Bytes), each.Manifest), strict: true);
        });
    }

    [Fact]
    public void An_unknown_message_is_refused() => Assert.Throws<SerializationException>(() => _serializer.FromBinary([], "q9"));

    private object Copy(object message) => _serializer.FromBinary(_serializer.ToBinary(message), _serializer.Manifest(message));
}

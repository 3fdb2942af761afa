using System.Text;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Serialization;
using Newtonsoft.Json;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>Payloads of Akka.NET's JSON serializer are decoded without it, to the same objects.</summary>
public sealed class JsonPayloadTests : Akka.TestKit.Xunit2.TestKit
{
    private ExtendedActorSystem System => (ExtendedActorSystem)Sys;

    public static TheoryData<string> Texts =>
    [
        """{"$":"I5"}""", """{"$":"F1.5"}""", """{"$":"M1.25"}""", """{"$":"X5"}""", """{"$":5}""", """{"a":1}""", """ {"$":"I5"} // end""",
        """{"$":"I5"} {"$":"I6"}""", """{"$":"I5"}]""", "{", "", "null", "5", "1.5", "\"text\"", "[1,2]", "true", """{"$type":"No.Such, Type"}""",
        """{"$type":"System.Int64[], System.Private.CoreLib","$values":[1,2]}""", "\"2026-01-01T00:00:00Z\"", "\"\\ud800\"", "\"\xff\"",
    ];

    [Theory]
    [MemberData(nameof(Texts))]
    public void A_text_becomes_the_same_object_or_the_same_kind_of_error(string text)
    {
        byte[] bytes = [.. Encoding.UTF8.GetBytes(text)];
        Assert.Equal(Outcome(() => Sys.Serialization.Deserialize(bytes, Json().SerializerId, "")), Outcome(() => Json().Decode(System, bytes)));
    }

    [Fact]
    public void Objects_survive()
    {
        object[] objects =
        [
            5, 1.5f, 1.25m, 5L, "text", true, DateTimeOffset.UnixEpoch, TimeSpan.FromSeconds(1), new Kept(7), new Node("a", [new("b", []), new("c", [new("d", [])])]),
            new[] { 1, 2 }, new Dictionary<string, object> { ["a"] = 1, ["b"] = new Kept(2) }, TestActor, new Told(TestActor, [1m, 2m]), new string('ä', 5_000),
        ];
        var serializer = Sys.Serialization.FindSerializerForType(typeof(object));
        foreach (var each in objects)
        {
            var bytes = Akka.Serialization.Serialization.WithTransport(System, () => serializer.ToBinary(each));
            var (theirs, ours) = (Sys.Serialization.Deserialize(bytes, serializer.Identifier, ""), Json().Decode(System, bytes));
            Assert.Equal(theirs.GetType(), ours.GetType());
            Assert.Equal(JsonConvert.SerializeObject(Shown(theirs)), JsonConvert.SerializeObject(Shown(ours)));
        }
    }

    [Fact]
    public void Many_threads_decode_at_once()
    {
        var serializer = Sys.Serialization.FindSerializerForType(typeof(object));
        var bytes = Enumerable.Range(0, 100).Select(number => serializer.ToBinary(new Node($"{number}", [new("same", []), new("same", [])]))).ToList();
        var json = Json();
        Parallel.For(0, 5_000, i =>
        {
            var node = (Node)json.Decode(System, bytes[i % 100]);
            Assert.Equal(($"{i % 100}", 2), (node.Name, node.Children.Count));
        });
    }

    [Fact]
    public void Another_serializer_decodes_by_itself()
    {
        using var system = ActorSystem.Create("derived", ConfigurationFactory.ParseString(
            $"akka.actor.serializers.json = \"{typeof(Derived).AssemblyQualifiedName}\""));
        Assert.Null(JsonPayloads.Of(system.Serialization));
        var payload = new PayloadDecoder((ExtendedActorSystem)system, serializer: null, isStoredAsJson: false)
            .Decode(new JournalEvent { PersistenceId = "a", SequenceNumber = 1, SerializerId = 1, Manifest = "", Payload = "{}"u8.ToArray() });
        Assert.Equal("derived", payload);
    }

    private JsonPayloads Json() => JsonPayloads.Of(Sys.Serialization)!;

    private static object Shown(object decoded) => decoded switch
    {
        IActorRef actor => $"{actor}",
        Told told => $"{told.Target} {string.Join(' ', told.Amounts)}",
        _ => decoded,
    };

    private static string Outcome(Func<object> decode)
    {
        try
        {
            var decoded = decode();
            return $"{decoded?.GetType()} {JsonConvert.SerializeObject(decoded)}";
        }
        catch (Exception error)
        {
            return error.GetType().Name;
        }
    }

    private sealed record Node(string Name, List<Node> Children);

    private sealed record Told(IActorRef Target, decimal[] Amounts);

    private sealed class Derived(ExtendedActorSystem system, Config config) : NewtonSoftJsonSerializer(system, config)
    {
        public override int Identifier => 1;

        public override object FromBinary(byte[] bytes, Type type) => "derived";
    }
}

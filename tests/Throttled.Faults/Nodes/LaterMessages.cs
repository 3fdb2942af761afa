using Akka.Actor;
using Akka.Persistence.Query.Throttled.Cluster.Budget;
using Akka.Persistence.Query.Throttled.Cluster.Feed;
using Akka.Serialization;

namespace Throttled.Faults.Nodes;

/// <summary>
/// The serializers of a later version: the same identifiers and manifests, and more fields at the end of each message. Nodes of this version and of the
/// later one must understand each other.
/// </summary>
internal static class LaterMessages
{
    // A text, a number and a few more bytes.
    private static readonly byte[] MoreFields = [5, .. "later"u8, 42, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0x80, 0x01];

    internal static void Register(ActorSystem system)
    {
        var extended = (ExtendedActorSystem)system;
        Register(extended, "throttled-budget", new BudgetSerializer(extended), typeof(ShareRequest), typeof(ShareAck), typeof(ShareReleased));
        Register(
            extended, "throttled-feed", new FeedSerializer(extended),
            typeof(FeedDemand), typeof(FeedBatch), typeof(ReadYourself), typeof(FeedRewound), typeof(FeedLeave));
    }

    private static void Register(ExtendedActorSystem system, string name, SerializerWithStringManifest known, params Type[] messages)
    {
        var later = new Later(system, known);
        system.Serialization.AddSerializer(name, later);
        foreach (var message in messages)
            system.Serialization.AddSerializationMap(message, later);
    }

    private sealed class Later(ExtendedActorSystem system, SerializerWithStringManifest known) : SerializerWithStringManifest(system)
    {
        public override int Identifier => known.Identifier;

        public override string Manifest(object o) => known.Manifest(o);

        public override byte[] ToBinary(object obj) => [.. known.ToBinary(obj), .. MoreFields];

        public override object FromBinary(byte[] bytes, string manifest) => known.FromBinary(bytes, manifest);
    }
}

using System.Text;
using Akka.Actor;
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
        SerializerId = ByteArraySerializer,
        Bytes = static number => Encoding.UTF8.GetBytes($$$"""{"$id":"1","amount":{"$":"I{{{number % 100_000:D5}}}"}}"""),
    };

    /// <summary>The name for <c>--payload</c>. Part of the journal's name.</summary>
    internal required string Name { get; init; }

    internal required int SerializerId { get; init; }

    /// <summary>The payload of a sequence number.</summary>
    internal required Func<int, byte[]> Bytes { get; init; }

    /// <exception cref="CrushException">There is no payload of this name.</exception>
    internal static CrushPayload Named(string name) => name switch
    {
        "bytes" => Deposits,
        "int" => Numbers(),
        _ => throw new CrushException($"--payload is '{name}'; it must be bytes or int. Leave it out for bytes."),
    };

    // Sequence numbers, as an actor system writes an int. All ids share the few byte arrays.
    private static CrushPayload Numbers()
    {
        using var system = ActorSystem.Create("payloads", ActorConfig.Quiet);
        var serializer = system.Serialization.FindSerializerForType(typeof(int));
        List<byte[]> written = [];
        return new()
        {
            Name = "int",
            SerializerId = serializer.Identifier,
            Bytes = number =>
            {
                while (written.Count < number)
                    written.Add(serializer.ToBinary(written.Count + 1));
                return written[number - 1];
            },
        };
    }
}

internal static class CrushEvents
{
    /// <summary>Events that are appended to one id in a row, as an entity persists several at a time.</summary>
    internal const int Run = 10;

    internal static string[] Ids(int streams)
    {
        var ids = new string[streams];
        for (var i = 0; i < ids.Length; i++)
            ids[i] = $"account-{i:D8}";
        return ids;
    }

    internal static JournalEvent Event(CrushPayload payload, string id, int number) => Event(payload, id, number, payload.Bytes(number));

    /// <summary>All events of all ids, in the order in which they are appended.</summary>
    internal static IEnumerable<JournalEvent> All(CrushPayload payload, string[] ids, int events)
    {
        for (var first = 1; first <= events; first += Run)
        {
            byte[][] bytes = [.. Enumerable.Range(first, Math.Min(Run, events + 1 - first)).Select(payload.Bytes)];
            foreach (var id in ids)
            {
                for (var i = 0; i < bytes.Length; i++)
                    yield return Event(payload, id, first + i, bytes[i]);
            }
        }
    }

    /// <summary>Bytes of an event's payload on the heap: the array's header, and its bytes rounded up to whole words.</summary>
    internal static long OnHeap(CrushPayload payload) => 24 + ((payload.Bytes(1).Length + 7L) / 8 * 8);

    private static JournalEvent Event(CrushPayload payload, string id, int number, byte[] bytes) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Payload = bytes,
        SerializerId = payload.SerializerId,
        Manifest = "",
    };
}

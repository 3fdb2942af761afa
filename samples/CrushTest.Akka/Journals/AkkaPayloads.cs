using Akka.Actor;
using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Akka.Journals;

/// <summary>Payloads that an actor system can decode.</summary>
internal static class AkkaPayloads
{
    private const int ByteArraySerializer = 4;

    /// <exception cref="CrushException">There is none of this name.</exception>
    internal static CrushPayload Named(string name) => name switch
    {
        "bytes" => CrushPayload.Deposit with { Suffix = "_bytes", SerializerId = ByteArraySerializer, Manifest = "" },
        "int" => Numbers(),
        _ => throw new CrushException($"--payload is '{name}'; it must be bytes or int. Leave it out for bytes."),
    };

    // Sequence numbers, as an actor system writes an int. The same few are written for each id.
    private static CrushPayload Numbers()
    {
        using var system = ActorSystem.Create("payloads", Systems.Quiet);
        var serializer = system.Serialization.FindSerializerForType(typeof(int));
        List<byte[]> written = [];
        return new()
        {
            Suffix = "_int",
            SerializerId = serializer.Identifier,
            Manifest = "",
            Bytes = number =>
            {
                while (written.Count < number)
                    written.Add(serializer.ToBinary(written.Count + 1));
                return written[number - 1];
            },
        };
    }
}

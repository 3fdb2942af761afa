using System.Buffers;
using System.Text;
using Akka.Actor;
using Akka.Serialization;
using Newtonsoft.Json;
using AkkaSerialization = Akka.Serialization.Serialization;

namespace Akka.Persistence.Query.Throttled.Envelopes;

/// <summary>
/// Decodes payloads of Akka.NET's JSON serializer as that serializer does, but with rented buffers and one <see cref="JsonSerializer"/> for all. The
/// serializer itself allocates 3 KB for the smallest event: a buffer of 2 KB, and a new <see cref="JsonSerializer"/>. Thread-safe.
/// </summary>
internal sealed class JsonPayloads
{
    private readonly JsonConverter _converter;
    private readonly JsonSerializer _serializer;

    private JsonPayloads(int serializerId, JsonConverter converter, JsonSerializer serializer) =>
        (SerializerId, _converter, _serializer) = (serializerId, converter, serializer);

    /// <summary>The id in rows of the serializer.</summary>
    internal int SerializerId { get; }

    /// <summary>
    /// The decoder for the serializer of all types without a serializer of their own; null if it is another one, is derived, or creates a resolver of
    /// references for each value.
    /// </summary>
    internal static JsonPayloads? Of(AkkaSerialization serialization) =>
        serialization.FindSerializerForType(typeof(object)) is NewtonSoftJsonSerializer { Serializer: JsonSerializer json } found
        && found.GetType() == typeof(NewtonSoftJsonSerializer)
        && found.Settings.ReferenceResolverProvider is null
        && json.Converters.FirstOrDefault(each => each.GetType().DeclaringType == typeof(NewtonSoftJsonSerializer)) is { } converter
            ? new(found.Identifier, converter, json)
            : null;

    internal object Decode(ExtendedActorSystem system, ReadOnlyMemory<byte> payload) =>
        AkkaSerialization.WithTransport(system, (this, payload), static each => each.Item1.Decode(each.payload.Span));

    private object Decode(ReadOnlySpan<byte> payload)
    {
        using var reader = new JsonTextReader(new StringReader(Encoding.UTF8.GetString(payload))) { ArrayPool = RentedBuffers.Shared };
        // The serializer's converter reads any object and replaces surrogates, which is all that the serializer's FromBinary does.
        var found = _converter.ReadJson(reader, null!, null!, _serializer);
        while (reader.Read())
        {
            if (reader.TokenType != JsonToken.Comment)
                throw new JsonSerializationException("There is text after the end of the JSON value.");
        }
        return found!;
    }

    private sealed class RentedBuffers : IArrayPool<char>
    {
        internal static RentedBuffers Shared { get; } = new();

        public char[] Rent(int minimumLength) => ArrayPool<char>.Shared.Rent(minimumLength);

        public void Return(char[]? array)
        {
            if (array is not null)
                ArrayPool<char>.Shared.Return(array);
        }
    }
}

using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Throttled.Projections.Payloads;

namespace Throttled.Projections;

/// <summary>
/// Decodes events that are stored as JSON into types, by their manifests. Add the types, then set <see cref="ProjectionOptions.Decoder"/> to
/// <see cref="Decode"/>. After the first decoded event it is thread-safe and no more types can be added. If no type is added, every event becomes a
/// <see cref="JsonElement"/>.
/// </summary>
/// <remarks>
/// Akka.NET's default serializer leaves the manifest empty, and writes numbers, lists and repeated objects in its own form. For its events, use
/// <c>ThrottledReadJournal.PayloadDecoder</c> of <c>Akka.Persistence.Query.Throttled</c>.
/// </remarks>
public sealed class JsonEvents
{
    private readonly JsonSerializerOptions _options;
    private readonly ManifestTable.Builder _manifests = new();
    private readonly Lazy<ManifestTable> _table;
    private bool _ignoresOthers;

    /// <param name="options">The options for types that are added without a <see cref="JsonTypeInfo{T}"/>; they are copied. By default those of
    /// System.Text.Json.</param>
    public JsonEvents(JsonSerializerOptions? options = null)
    {
        _options = options is null ? new() : new(options);
        _table = new(() => _manifests.Build());
    }

    /// <summary>Adds a type that is read by reflection, or by the resolver of the options.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="manifests">The manifests of its events. By default the type's name, its full name, and its full name with its assembly, as
    /// Akka.NET writes it (<c>Bank.Opened, Bank</c>). A version after the assembly is ignored. A default name that two types share belongs to
    /// neither.</param>
    /// <exception cref="ArgumentException">A manifest belongs to another type, or is ignored.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    public JsonEvents Add<T>(params string[] manifests)
    {
        if (!_options.IsReadOnly)
            _options.MakeReadOnly(populateMissingResolver: true);
        return Add(_options.GetTypeInfo(typeof(T)), manifests);
    }

    /// <summary>Adds a type that is read without reflection. Otherwise the same as the other overload.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="type">From a <see cref="System.Text.Json.Serialization.JsonSerializerContext"/>.</param>
    /// <param name="manifests">The manifests of its events; the same defaults as in the other overload.</param>
    /// <exception cref="ArgumentException">A manifest belongs to another type, or is ignored.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    public JsonEvents Add<T>(JsonTypeInfo<T> type, params string[] manifests)
    {
        ArgumentNullException.ThrowIfNull(type);
        return Add((JsonTypeInfo)type, manifests);
    }

    /// <summary>Ignores events by their manifests: <see cref="Decode"/> returns null for them.</summary>
    /// <param name="manifests">The manifests; a version after the assembly is ignored.</param>
    /// <exception cref="ArgumentException">A manifest belongs to a type.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    public JsonEvents Ignore(params string[] manifests)
    {
        ArgumentNullException.ThrowIfNull(manifests);
        CheckOpen();
        foreach (var manifest in manifests)
            _manifests.Ignore(manifest);
        return this;
    }

    /// <summary>Ignores events of all manifests that were not added.</summary>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    public JsonEvents IgnoreOthers()
    {
        CheckOpen();
        _ignoresOthers = true;
        return this;
    }

    /// <summary>Decodes an event; set <see cref="ProjectionOptions.Decoder"/> to it.</summary>
    /// <param name="stored">The event.</param>
    /// <returns>Null if its manifest is ignored.</returns>
    /// <exception cref="NotSupportedException">Its manifest is not known, or its payload was not read because it is too large.</exception>
    /// <exception cref="JsonException">Its payload is not JSON, is null, or does not fit its type.</exception>
    public object? Decode(JournalEvent stored)
    {
        ArgumentNullException.ThrowIfNull(stored);
        var table = _table.Value;
        if (!table.TryFind(stored.Manifest, out var entry))
            return _ignoresOthers ? null : table.HasTypes ? throw Unknown(stored) : JsonElement.Parse(Payload(stored));
        if (entry.IsIgnored)
            return null;
        if (entry.Type is null)
            throw new NotSupportedException(
                $"The manifest \"{stored.Manifest}\" is the name of several types: {entry.Names}. Add the one that is meant with this manifest.");
        return JsonSerializer.Deserialize(Payload(stored), entry.Type)
            ?? throw new JsonException($"The payload is null; it must be a {entry.Type.Type.Name}.");
    }

    private JsonEvents Add(JsonTypeInfo type, string[] manifests)
    {
        ArgumentNullException.ThrowIfNull(manifests);
        CheckOpen();
        _manifests.Add(type, manifests);
        return this;
    }

    private void CheckOpen()
    {
        if (_table.IsValueCreated)
            throw new InvalidOperationException("An event was decoded already; add all types before.");
    }

    private static ReadOnlySpan<byte> Payload(JournalEvent stored) => stored.OmittedPayloadBytes == 0
        ? stored.Payload.Span
        : throw new NotSupportedException(FormattableString.Invariant(
            $"The payload has {stored.OmittedPayloadBytes} bytes and was not read. Raise 'MaxPayloadBytes' of the journal."));

    private static NotSupportedException Unknown(JournalEvent stored) => new(
        $"The manifest \"{stored.Manifest}\" is not known. "
        + "Add its type by 'JsonEvents.Add', or pass such events over by 'Ignore' or 'IgnoreOthers'." + OfAkka(stored));

    private static string OfAkka(JournalEvent stored) => stored.Manifest.Length == 0 && PayloadType.Read(stored.Payload.Span) is { } type
        ? $" It seems to be a {type} of Akka.NET's default serializer: 'ThrottledReadJournal.PayloadDecoder' of Akka.Persistence.Query.Throttled reads those."
        : "";
}

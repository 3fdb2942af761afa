using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Throttled.Journal;
using Throttled.Projections.Payloads;

namespace Throttled.Projections;

/// <summary>
/// Makes objects of events that are stored as JSON, by their manifests. Add what there is, then give <see cref="Decode"/> to
/// <see cref="ProjectionOptions.Decoder"/>; from the first event on it is thread-safe and cannot be added to. With no type added, every event
/// becomes a <see cref="JsonElement"/>.
/// </summary>
/// <remarks>
/// Akka.NET's default serializer leaves the manifest empty and writes numbers, lists and repeated objects in a form of its own. For its events, take
/// <c>ThrottledReadJournal.PayloadDecoder</c> of <c>Akka.Persistence.Query.Throttled</c>.
/// </remarks>
public sealed class JsonEvents
{
    private readonly JsonSerializerOptions _options;
    private readonly ManifestTable.Builder _manifests = new();
    private readonly Lazy<ManifestTable> _table;
    private bool _ignoresOthers;

    /// <param name="options">How types are read that are added without a <see cref="JsonTypeInfo{T}"/>; copied. Those of System.Text.Json by default.</param>
    public JsonEvents(JsonSerializerOptions? options = null)
    {
        _options = options is null ? new() : new(options);
        _table = new(() => _manifests.Build());
    }

    /// <summary>Adds a type that is read by reflection, or by the resolver of the options.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="manifests">
    /// The manifests of its events. By default the type's name, its full name, and its full name with its assembly, as Akka.NET writes it
    /// (<c>Bank.Opened, Bank</c>). A version that is stored behind the assembly does not matter. A name that two types have by default is neither's.
    /// </param>
    /// <exception cref="ArgumentException">A manifest is of another type, or ignored.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    /// <returns>The same.</returns>
    public JsonEvents Add<T>(params string[] manifests)
    {
        if (!_options.IsReadOnly)
            _options.MakeReadOnly(populateMissingResolver: true);
        return Add(_options.GetTypeInfo(typeof(T)), manifests);
    }

    /// <summary>Adds a type that is read without reflection; otherwise as the other.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="type">From a <see cref="System.Text.Json.Serialization.JsonSerializerContext"/>.</param>
    /// <param name="manifests">The manifests of its events; by default as of the other.</param>
    /// <exception cref="ArgumentException">A manifest is of another type, or ignored.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    /// <returns>The same.</returns>
    public JsonEvents Add<T>(JsonTypeInfo<T> type, params string[] manifests)
    {
        ArgumentNullException.ThrowIfNull(type);
        return Add((JsonTypeInfo)type, manifests);
    }

    /// <summary>Passes over events by their manifests.</summary>
    /// <param name="manifests">The manifests; a version behind the assembly does not matter.</param>
    /// <exception cref="ArgumentException">A manifest is of a type.</exception>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    /// <returns>The same.</returns>
    public JsonEvents Ignore(params string[] manifests)
    {
        ArgumentNullException.ThrowIfNull(manifests);
        CheckOpen();
        foreach (var manifest in manifests)
            _manifests.Ignore(manifest);
        return this;
    }

    /// <summary>Passes over events of all manifests that were not added.</summary>
    /// <exception cref="InvalidOperationException">An event was decoded already.</exception>
    /// <returns>The same.</returns>
    public JsonEvents IgnoreOthers()
    {
        CheckOpen();
        _ignoresOthers = true;
        return this;
    }

    /// <summary>For <see cref="ProjectionOptions.Decoder"/>.</summary>
    /// <param name="stored">The event.</param>
    /// <returns>Null where its manifest is ignored.</returns>
    /// <exception cref="NotSupportedException">Its manifest is not known, or its payload was not read because it is too large.</exception>
    /// <exception cref="JsonException">Its payload is no JSON, is null, or is not of its type.</exception>
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

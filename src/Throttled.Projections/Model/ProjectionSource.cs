using System.Text.Encodings.Web;
using System.Text.Json;

namespace Throttled.Projections;

/// <summary>
/// Which events of the journal a projection handles: all, those with a tag, or those of some slices; of these, optionally only those of some types or of
/// some persistence ids. Events that are left out move the offset and are not counted.
/// </summary>
public sealed record ProjectionSource
{
    private static readonly JsonSerializerOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private ProjectionSource()
    {
    }

    /// <summary>All events.</summary>
    public static ProjectionSource All { get; } = new();

    internal string? Tag { get; private init; }

    internal int FirstSlice { get; private init; }

    internal int LastSlice { get; private init; } = JournalSlices.Count - 1;

    internal bool HasAllSlices => LastSlice - FirstSlice + 1 == JournalSlices.Count;

    internal bool HasFilters => Manifests is not null || Types is not null || IdPrefix is not null;

    private HashSet<string>? Manifests { get; init; }

    private Type[]? Types { get; init; }

    private string? IdPrefix { get; init; }

    /// <summary>The events with a tag.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <exception cref="ArgumentException">The tag is empty.</exception>
    public static ProjectionSource ByTag(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        return new() { Tag = tag };
    }

    /// <summary>The events whose persistence ids are in some slices.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <exception cref="ArgumentOutOfRangeException">A slice is out of its range, or <paramref name="max"/> is below <paramref name="min"/>.</exception>
    public static ProjectionSource BySlices(int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(min);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(max, JournalSlices.Count);
        return new() { FirstSlice = min, LastSlice = max };
    }

    /// <summary>
    /// Of these events, those whose stored manifest is one of some. Compared before the event is decoded. The names of types are compared without
    /// version, culture and key. Events that have no manifest are left out, unless one of <paramref name="manifests"/> is empty: Akka.NET's default
    /// serializer stores none.
    /// </summary>
    /// <param name="manifests">What the serializer stored, compared ordinally; at least one.</param>
    /// <exception cref="ArgumentException">There is no manifest, or one is null.</exception>
    /// <exception cref="InvalidOperationException">The source has types already.</exception>
    public ProjectionSource OfTypes(params IEnumerable<string> manifests)
    {
        ArgumentNullException.ThrowIfNull(manifests);
        string[] all = [.. manifests];
        return all.Length > 0 && Array.TrueForAll(all, manifest => manifest is not null)
            ? With([.. all.Select(manifest => ManifestName.Plain(manifest).ToString())], null)
            : throw new ArgumentException("There is no manifest, or one is null. Give at least one.", nameof(manifests));
    }

    /// <summary>
    /// Of these events, those that the decoder turns into objects of some types, or of types derived from them. Works with every serializer and event
    /// adapter, because the events are decoded first. An event that cannot be decoded fails. Manifests are quicker.
    /// </summary>
    /// <param name="types">Classes, records or interfaces; at least one.</param>
    /// <exception cref="ArgumentException">There is no type, or one is null.</exception>
    /// <exception cref="InvalidOperationException">The source has types already.</exception>
    public ProjectionSource OfTypes(params IEnumerable<Type> types)
    {
        ArgumentNullException.ThrowIfNull(types);
        Type[] all = [.. types];
        if (all.Length == 0 || Array.Exists(all, type => type is null))
            throw new ArgumentException("There is no type, or one is null. Give at least one class, record or interface.", nameof(types));
        return With(null, all);
    }

    /// <summary>Of these events, those whose persistence ids begin with a text. Compared before the event is decoded.</summary>
    /// <param name="prefix">The text, compared ordinally.</param>
    /// <exception cref="ArgumentException">The text is empty.</exception>
    /// <exception cref="InvalidOperationException">The source has a prefix already.</exception>
    public ProjectionSource WithIdPrefix(string prefix)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        return IdPrefix is null ? this with { IdPrefix = prefix } : throw new InvalidOperationException($"The source '{this}' has a prefix already. Give only one.");
    }

    /// <summary>Whether the source has an event, as far as its row shows.</summary>
    internal bool Has(JournalEvent stored) =>
        (IdPrefix is null || stored.PersistenceId.StartsWith(IdPrefix, StringComparison.Ordinal))
        && Manifests?.GetAlternateLookup<ReadOnlySpan<char>>().Contains(ManifestName.Plain(stored.Manifest)) != false;

    /// <summary>Whether the source has a decoded event.</summary>
    internal bool HasDecoded(object payload) => Types is null || Array.Exists(Types, type => type.IsInstanceOfType(payload));

    /// <summary>Whether both have the same events.</summary>
    public bool Equals(ProjectionSource? other) => other is not null && other.ToString() == ToString();

    /// <inheritdoc/>
    public override int GetHashCode() => ToString().GetHashCode(StringComparison.Ordinal);

    /// <summary>
    /// The source as it is stored beside the offsets: <c>all</c>, <c>tag:name</c>, <c>slices:0-511</c>, and with filters as in
    /// <c>manifests:["Placed"] prefix:"order-" of tag:name</c>. The order in which types were given does not matter.
    /// </summary>
    public override string ToString()
    {
        var all = Tag is not null ? $"tag:{Tag}"
            : HasAllSlices ? "all"
            : FormattableString.Invariant($"slices:{FirstSlice}-{LastSlice}");
        // The filters come first and are quoted, because a tag may contain any text.
        var filters = (Manifests is null ? "" : $"manifests:{Sorted(Manifests)} ")
            + (Types is null ? "" : $"types:{Sorted(Types.Select(type => type.ToString()))} ")
            + (IdPrefix is null ? "" : $"prefix:{JsonSerializer.Serialize(IdPrefix, Readable)} ");
        return filters.Length == 0 ? all : $"{filters}of {all}";
    }

    private ProjectionSource With(HashSet<string>? manifests, Type[]? types) => Manifests is null && Types is null
        ? this with { Manifests = manifests, Types = types }
        : throw new InvalidOperationException($"The source '{this}' has types already. Give all of them in one call.");

    private static string Sorted(IEnumerable<string> names) =>
        JsonSerializer.Serialize(names.Distinct().Order(StringComparer.Ordinal), Readable);
}

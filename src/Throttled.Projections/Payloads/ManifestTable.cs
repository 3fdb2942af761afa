using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;

namespace Throttled.Projections.Payloads;

internal sealed class ManifestTable
{
    private readonly FrozenDictionary<string, ManifestEntry> _entries;
    private readonly FrozenDictionary<string, ManifestEntry>.AlternateLookup<ReadOnlySpan<char>> _plain;

    private ManifestTable(Dictionary<string, ManifestEntry> entries)
    {
        _entries = entries.ToFrozenDictionary(StringComparer.Ordinal);
        _plain = _entries.GetAlternateLookup<ReadOnlySpan<char>>();
        HasTypes = entries.Values.Any(entry => !entry.IsIgnored);
    }

    internal bool HasTypes { get; }

    internal bool TryFind(string manifest, [NotNullWhen(true)] out ManifestEntry? entry) =>
        _entries.TryGetValue(manifest, out entry) || _plain.TryGetValue(ManifestName.Plain(manifest), out entry);

    internal sealed class Builder
    {
        private readonly Dictionary<string, ManifestEntry> _entries = new(StringComparer.Ordinal);

        internal ManifestTable Build() => new(_entries);

        internal void Add(JsonTypeInfo type, IReadOnlyCollection<string> manifests)
        {
            foreach (var manifest in manifests)
                Put(manifest, new(type, IsDefault: false));
            if (manifests.Count > 0)
                return;
            foreach (var name in ManifestName.Of(type.Type))
                PutDefault(name, new(type, IsDefault: true));
        }

        internal void Ignore(string manifest) => Put(manifest, new(null, IsDefault: false));

        private void Put(string manifest, ManifestEntry entry)
        {
            ArgumentNullException.ThrowIfNull(manifest);
            var name = ManifestName.Plain(manifest).ToString();
            if (_entries.TryGetValue(name, out var before) && !before.IsDefault && before.Type?.Type != entry.Type?.Type)
                throw new ArgumentException($"The manifest \"{name}\" is {Describe(before)} already; it cannot be {Describe(entry)} too.");
            _entries[name] = entry;
        }

        // A manifest that the user gave has priority over a type's default name.
        private void PutDefault(string name, ManifestEntry entry)
        {
            if (!_entries.TryGetValue(name, out var before))
                _entries[name] = entry;
            else if (before.IsDefault && before.Type?.Type != entry.Type!.Type)
                _entries[name] = new(null, IsDefault: true) { Names = $"{before.Names}, {entry.Names}" };
        }

        private static string Describe(ManifestEntry entry) => entry.IsIgnored ? "ignored" : $"of {entry.Names}";
    }
}

/// <summary><c>Type</c> is null if the events are ignored, or if several types have this default name. <c>IsDefault</c>: the user did not give the manifest.</summary>
internal sealed record ManifestEntry(JsonTypeInfo? Type, bool IsDefault)
{
    /// <summary>The types with this name; empty if its events are ignored.</summary>
    internal string Names { get; init; } = Type?.Type.FullName ?? "";

    internal bool IsIgnored => Type is null && Names.Length == 0;
}

using System.Text.Json.Serialization.Metadata;

namespace Throttled.Projections.Payloads;

/// <summary>What is known of a manifest.</summary>
/// <param name="Type">What its payloads are; null where they are ignored, or where it is the name of several types.</param>
/// <param name="IsDefault">Whether it was not given, but is a name of the type.</param>
internal sealed record ManifestEntry(JsonTypeInfo? Type, bool IsDefault)
{
    /// <summary>The types that are called so; empty where it is ignored.</summary>
    internal string Names { get; init; } = Type?.Type.FullName ?? "";

    internal bool IsIgnored => Type is null && Names.Length == 0;
}

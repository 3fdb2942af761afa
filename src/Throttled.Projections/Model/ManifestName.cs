namespace Throttled.Projections;

/// <summary>The names of .NET types in manifests.</summary>
internal static class ManifestName
{
    internal static IEnumerable<string> Of(Type type)
    {
        yield return type.Name;
        yield return type.FullName!;
        yield return $"{type.FullName}, {type.Assembly.GetName().Name}";
    }

    /// <summary>A name without the version, culture and key after its assembly.</summary>
    internal static ReadOnlySpan<char> Plain(ReadOnlySpan<char> manifest)
    {
        var (depth, commas) = (0, 0);
        for (var i = 0; i < manifest.Length; i++)
        {
            // The arguments of a generic type contain commas, too.
            depth += manifest[i] switch { '[' => 1, ']' => -1, _ => 0 };
            if (manifest[i] == ',' && depth == 0 && ++commas == 2)
                return IsVersion(manifest[(i + 1)..].TrimStart()) ? manifest[..i] : manifest;
        }
        return manifest;
    }

    private static bool IsVersion(ReadOnlySpan<char> rest) =>
        rest.StartsWith("Version=", StringComparison.Ordinal) || rest.StartsWith("Culture=", StringComparison.Ordinal)
        || rest.StartsWith("PublicKeyToken=", StringComparison.Ordinal);
}

using Akka.Configuration.Hocon;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Finds the path of a section: Akka.NET gives a provider its section, but not the path.</summary>
internal static class PluginPath
{
    /// <returns>The path; null if the section is not in the configuration.</returns>
    internal static string? Of(Config all, Config section) =>
        // A section may have inherited the plugin-id of another plugin, so check that the sections say the same.
        (section.GetString("plugin-id") is { Length: > 0 } id && NamedSection.IsThere(all, id) && HaveSameSettings(all.GetConfig(id), section) ? id : null)
        ?? Find(all, section, IsSame)
        // Another plugin may have added its defaults since the section was taken; then sections of several layers were merged again.
        ?? Find(all, section, HasSameTexts);

    /// <summary>Whether the configuration has something at a path besides this plugin's defaults.</summary>
    internal static bool IsConfigured(Config all, string path)
    {
        var defaults = SettingsFile.Reference.GetValue(path);
        return Layers(all).Select(layer => At(layer, path)).Any(value => value is not null && (defaults is null || !IsSame(value, defaults)));
    }

    /// <summary>The paths of all sections of a configuration. A path may occur several times.</summary>
    internal static IEnumerable<string> Sections(Config all) => Layers(all).SelectMany(layer => Below(layer, ""));

    private static IEnumerable<string> Below(HoconValue here, string path) => here.IsObject()
        ? here.GetObject().Items.Where(each => each.Value.IsObject()).SelectMany(each => Below(each.Value, $"{path}{each.Key}.").Prepend(path + each.Key))
        : [];

    private static HoconValue? At(HoconValue here, string path) => path.Split('.').Aggregate(
        (HoconValue?)here, (value, key) => value is not null && value.IsObject() ? value.GetChildObject(key) : null);

    private static string? Find(Config all, Config section, Func<HoconValue, HoconValue, bool> isIt) => (
        from wanted in Layers(section)
        from layer in Layers(all)
        select Below(layer, value => isIt(value, wanted), "")).FirstOrDefault(path => path is not null);

    // A section that several layers have is merged into a new object; each layer still has its own part.
    private static IEnumerable<HoconValue> Layers(Config config)
    {
        for (var layer = config; layer is not null; layer = layer.Fallback)
        {
            if (layer.Root is { } root)
                yield return root;
        }
    }

    private static string? Below(HoconValue here, Func<HoconValue, bool> isIt, string path)
    {
        if (!here.IsObject())
            return null;
        foreach (var (key, value) in here.GetObject().Items)
        {
            var name = path.Length == 0 ? key : $"{path}.{key}";
            if (isIt(value))
                return name;
            if (Below(value, isIt, name) is { } found)
                return found;
        }
        return null;
    }

    private static bool HaveSameSettings(Config one, Config other) => Includes(one, other) && Includes(other, one);

    private static bool Includes(Config one, Config other) => Layers(other)
        .SelectMany(layer => layer.GetObject()?.Items ?? [])
        .Where(each => each.Value.IsString())
        .All(each => one.GetString(each.Key) == other.GetString(each.Key));

    // Compare references, because another section may have equal values. A merge wraps new values around the same list.
    private static bool IsSame(HoconValue one, HoconValue other) => ReferenceEquals(one.Values, other.Values);

    private static bool HasSameTexts(HoconValue one, HoconValue other)
    {
        var texts = other.GetObject()?.Items.Where(each => each.Value.IsString()).ToList() ?? [];
        return texts.Count > 0 && texts.TrueForAll(each =>
            one.GetChildObject(each.Key) is { Values: [var first, ..] } && ReferenceEquals(first, each.Value.Values[0]));
    }
}

/// <summary>Sections whose path is the value of a setting.</summary>
internal static class NamedSection
{
    internal static bool IsThere(Config all, string path)
    {
        try
        {
            return path.Length > 0 && all.GetValue(path) is { } value && value.IsObject();
        }
        catch (ArgumentException)
        {
            // Akka.NET cannot parse the path, because a quote in it is not closed.
            return false;
        }
    }
}

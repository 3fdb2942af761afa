using Akka.Configuration.Hocon;
using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>
/// Reads the settings of one section. The error for a wrong value names the setting and the value as the user wrote them.
/// </summary>
internal sealed class SettingReader(string path, Config section)
{
    private Dictionary<string, string> _inherited = [];

    internal string Path => path;

    /// <summary>A setting's full name, as the user wrote it.</summary>
    internal string NameOf(string key) => _inherited.GetValueOrDefault(key) ?? $"{path}.{key}";

    /// <summary>A copy with inherited settings, which win over those of the section.</summary>
    internal SettingReader With(IEnumerable<InheritedSetting> inherited)
    {
        var root = new HoconValue();
        var names = new Dictionary<string, string>(_inherited);
        foreach (var setting in inherited)
        {
            Put(root, setting);
            names[setting.Key] = setting.Name;
        }
        return new(path, root.ToConfig().WithFallback(section)) { _inherited = names };
    }

    /// <summary>A text; empty if it is null or missing.</summary>
    internal string Text(string key) => section.GetString(key) ?? "";

    internal bool IsSet(string key) => section.GetValue(key) is not null;

    /// <summary>Whether another section has all entries of this key, with the same text. True if the key is missing.</summary>
    internal bool IsWithin(SettingReader other, string key) => section.GetValue(key) is not { } value || (value.IsObject()
        && value.GetObject().Items.All(each => other.Value(key)?.GetChildObject(each.Key)?.ToString() == each.Value.ToString()));

    /// <summary>A list of at least one text.</summary>
    internal IReadOnlyList<string> Texts(string key, string allowed)
    {
        var elements = section.GetValue(key)?.GetArray() ?? [];
        return elements.Count > 0 && elements.All(each => each.IsString())
            ? [.. elements.Select(each => each.GetString())]
            : throw Invalid(key, allowed);
    }

    internal int Int(string key) => Read(key, value => value.GetInt(), $"a whole number of at most {int.MaxValue}");

    internal long Size(string key) => Read(key, value => value.GetByteSize() ?? throw new FormatException(), "a size, as in 64MiB");

    /// <returns>Null for off.</returns>
    internal int? SizeOrOff(string key) => Read(
        key,
        value => "off".Equals(value.GetString(), StringComparison.OrdinalIgnoreCase)
            ? (int?)null
            : checked((int)(value.GetByteSize() ?? throw new FormatException())),
        $"a size of at most {int.MaxValue} bytes, as in 16MiB, or off");

    internal bool Bool(string key) => Read(key, value => value.GetBoolean(), "on or off");

    internal TimeSpan Duration(string key) =>
        Read(key, value => value.GetTimeSpan(allowInfinite: false), "a duration, as in 200ms, 30s or 1h");

    /// <returns>Null for an empty text.</returns>
    internal TimeSpan? DurationOrEmpty(string key) => Read(
        key, value => value.GetString() is "" ? (TimeSpan?)null : value.GetTimeSpan(allowInfinite: false), "a duration, as in 200ms, 30s or 1h, or empty");

    /// <returns>Null for infinite.</returns>
    internal TimeSpan? DurationOrInfinite(string key)
    {
        var duration = Read(key, value => value.GetTimeSpan(), "a duration, as in 30s, or infinite");
        return duration == Timeout.InfiniteTimeSpan ? null : duration;
    }

    /// <summary>One of several words; case is ignored.</summary>
    internal T OneOf<T>(string key, params IReadOnlyList<(string Word, T Value)> words)
    {
        var text = Text(key);
        foreach (var (word, value) in words)
        {
            if (word.Equals(text, StringComparison.OrdinalIgnoreCase))
                return value;
        }
        throw Invalid(key, $"one of {string.Join(", ", words.Select(each => each.Word))}");
    }

    internal char Character(string key) => Text(key) is [var character] ? character : throw Invalid(key, "one character");

    internal SettingReader Section(string key) => section.GetValue(key) is { } value && value.IsObject()
        ? new(NameOf(key), section.GetConfig(key))
        : throw Invalid(key, "a section");

    /// <summary>Whether the key has a value other than an empty list.</summary>
    internal bool HasList(string key) =>
        section.GetValue(key) is { } value && (value.IsObject() || value.GetArray().Count > 0 || !value.Values.Any(each => each.IsArray()));

    internal ConfigurationException Invalid(string key, string allowed) =>
        new($"'{NameOf(key)}' is {Found(section.GetValue(key))}; it must be {allowed}.");

    private HoconValue? Value(string key) => section.GetValue(key);

    private static string Found(HoconValue? value) => value switch
    {
        null => "missing",
        _ when value.IsObject() => "a section",
        _ when value.IsArray() => "a list",
        _ when value.Values.Any(each => each.IsArray()) => "an empty list",
        _ => value.GetString() is { } text ? $"\"{text}\"" : "null",
    };

    // For an unreadable text, the getters throw whatever their parser throws.
    private T Read<T>(string key, Func<HoconValue, T> get, string allowed)
    {
        try
        {
            return section.GetValue(key) is { } value ? get(value) : throw Invalid(key, allowed);
        }
        catch (Exception error) when (error is FormatException or OverflowException or NotSupportedException or ArgumentException)
        {
            throw Invalid(key, allowed);
        }
    }

    private static void Put(HoconValue root, InheritedSetting setting)
    {
        var at = root;
        foreach (var step in setting.Key.Split('.'))
        {
            if (!at.IsObject())
                at.NewValue(new HoconObject());
            at = at.GetObject().GetOrCreateKey(step);
        }
        at.NewValue(new HoconLiteral { Value = setting.Text });
    }
}

/// <summary>A setting that a read journal inherits from the section of its write plugin.</summary>
/// <param name="Key">The read journal's key.</param>
/// <param name="Text">Its value.</param>
/// <param name="Name">The full name of the setting that it was read from, for messages.</param>
internal sealed record InheritedSetting(string Key, string Text, string Name);

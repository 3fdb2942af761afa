using System.Buffers;
using System.Text;

namespace Throttled.Journal;

/// <summary>Rejects single invalid values.</summary>
/// <param name="nameOf">Turns a property's name into the user's name for the setting.</param>
internal sealed class OptionCheck(Func<string, string> nameOf)
{
    internal void Between<T>(string name, T value, T least, T most)
        where T : struct, IComparable<T>
    {
        if (value.CompareTo(least) < 0 || value.CompareTo(most) > 0)
            throw new ArgumentException(FormattableString.Invariant($"'{nameOf(name)}' is {Said(value)}; it must be {Allowed(least, most)}."));
    }

    internal void Defined<T>(string name, T value)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value))
            throw new ArgumentException($"'{nameOf(name)}' is {value}; it must be one of {string.Join(", ", Enum.GetNames<T>())}.");
    }

    internal void Given(string name, object? value)
    {
        if (value is null)
            throw new ArgumentException($"'{nameOf(name)}' is null; leave it out for its default.");
    }

    internal void Text(string name, char value)
    {
        if (char.IsSurrogate(value) || value == '\0')
            throw new ArgumentException(FormattableString.Invariant(
                $"'{nameOf(name)}' is U+{(int)value:X4}; it must be one whole character. Leave it out for the default."));
    }

    internal void Name(string name, string? value, int most, bool hasDefault = true)
    {
        if (value?.Length > most)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{nameOf(name)}' has {value.Length} characters; it must have from 1 to {most}. Choose a shorter one."));
        Name(name, value, hasDefault);
    }

    internal void Name(string name, string? value, bool hasDefault = true)
    {
        if (string.IsNullOrEmpty(value) || value.Contains('\0', StringComparison.Ordinal))
            throw new ArgumentException($"'{nameOf(name)}' is \"{value}\"; it must be a name.{(hasDefault ? " Leave it out for the default." : "")}");
        if (!IsWellFormed(value))
            throw new ArgumentException(
                $"'{nameOf(name)}' is \"{value}\", which has half of a surrogate pair; it must be whole characters. "
                + $"Correct it{(hasDefault ? ", or leave it out for the default" : "")}.");
    }

    /// <summary>Whether each surrogate has its counterpart.</summary>
    internal static bool IsWellFormed(string text)
    {
        for (ReadOnlySpan<char> rest = text; !rest.IsEmpty;)
        {
            if (Rune.DecodeFromUtf16(rest, out _, out var length) != OperationStatus.Done)
                return false;
            rest = rest[length..];
        }
        return true;
    }

    private static string Allowed<T>(T least, T most)
        where T : notnull =>
        most is int.MaxValue or long.MaxValue || most.Equals(TimeSpan.MaxValue)
            ? FormattableString.Invariant($"at least {Said(least)}")
            : FormattableString.Invariant($"from {Said(least)} to {Said(most)}");

    private static object Said<T>(T value)
        where T : notnull => value is TimeSpan duration ? DurationText.Of(duration) : value;
}

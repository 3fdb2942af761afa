using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Throttled.Tool.CommandLine;

/// <summary>Options that take a whole number in a range. 10k and 10m may be written.</summary>
internal static class NumberOption
{
    /// <summary>The greatest number, if there is no other limit.</summary>
    internal const long Any = long.MaxValue - 1;

    /// <summary>An option with the default <paramref name="standard"/>.</summary>
    internal static Option<int> Create(string name, int standard, (int Least, int Most) range, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        DefaultValueFactory = _ => standard,
        CustomParser = result => (int?)Parse(result, name, range, $"for {standard:N0}") ?? standard,
    };

    /// <summary>An option without a default; <paramref name="without"/> says when to leave it out.</summary>
    internal static Option<long?> Optional(string name, string without, (long Least, long Most) range, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => Parse(result, name, range, without),
    };

    /// <summary>An argument; <paramref name="without"/> says when to leave it out, and is null if it is required.</summary>
    internal static Argument<long?> Argument(string name, string? without, (long Least, long Most) range, string description) => new(name)
    {
        Description = description,
        Arity = without is null ? ArgumentArity.ExactlyOne : ArgumentArity.ZeroOrOne,
        CustomParser = result => result.Tokens.Count == 0 ? null : Parse(result, $"<{name}>", range, without),
    };

    internal static long? Read(string text)
    {
        var (digits, factor) = text.Length == 0 ? (text, 1) : text[^1] switch
        {
            'k' or 'K' => (text[..^1], 1_000),
            'm' or 'M' => (text[..^1], 1_000_000),
            _ => (text, 1),
        };
        return long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number <= Any / factor ? number * factor : null;
    }

    private static long? Parse(ArgumentResult result, string name, (long Least, long Most) range, string? without)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (Read(text) is { } number && number >= range.Least && number <= range.Most)
            return number;
        var to = range.Most == Any ? "" : $" to {range.Most:N0}";
        result.AddError($"{name} is '{text}'; it must be a whole number from {range.Least:N0}{to}.{(without is null ? "" : $" Leave it out {without}.")}");
        return null;
    }
}

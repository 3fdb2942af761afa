using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace BankAccounts.Settings;

/// <summary>Options that take a whole number from a range, and say so where they get anything else. 10k and 10m may be written.</summary>
internal static class NumberOption
{
    /// <param name="name">As the user writes it.</param>
    /// <param name="standard">The default.</param>
    /// <param name="range">The least and the most.</param>
    /// <param name="description">For the help.</param>
    internal static Option<int> Create(string name, int standard, (int Least, int Most) range, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        DefaultValueFactory = _ => standard,
        CustomParser = result => Parse(result, name, range, $"{standard:N0}") ?? standard,
    };

    /// <summary>One that may be left out; <paramref name="without"/> says what that means.</summary>
    internal static Option<int?> Optional(string name, string without, (int Least, int Most) range, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => Parse(result, name, range, without),
    };

    internal static int? Read(string text)
    {
        var (digits, factor) = text.Length == 0 ? (text, 1) : text[^1] switch
        {
            'k' or 'K' => (text[..^1], 1_000),
            'm' or 'M' => (text[..^1], 1_000_000),
            _ => (text, 1),
        };
        return int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && (long)number * factor <= int.MaxValue
            ? number * factor
            : null;
    }

    private static int? Parse(ArgumentResult result, string name, (int Least, int Most) range, string without)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (Read(text) is { } number && number >= range.Least && number <= range.Most)
            return number;
        result.AddError($"{name} is '{text}'; it must be a whole number from {range.Least:N0} to {range.Most:N0}. Leave it out for {without}.");
        return null;
    }
}

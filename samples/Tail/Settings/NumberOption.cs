using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Tail.Settings;

/// <summary>Options that take a whole number from some least one on, and say so where they get anything else.</summary>
internal static class NumberOption
{
    /// <param name="name">As the user writes it.</param>
    /// <param name="least">The least.</param>
    /// <param name="without">What leaving it out means.</param>
    /// <param name="description">For the help.</param>
    internal static Option<long?> Create(string name, long least, string without, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => Parse(result, name, least, without),
    };

    private static long? Parse(ArgumentResult result, string name, long least, string without)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= least && number < long.MaxValue)
            return number;
        result.AddError($"{name} is '{text}'; it must be a whole number from {least}. Leave it out {without}.");
        return null;
    }
}

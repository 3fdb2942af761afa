using System.CommandLine;
using System.CommandLine.Parsing;

namespace CrushTest.Settings;

/// <summary>Options that take a whole number in a range.</summary>
internal static class NumberOption
{
    /// <param name="name">As the user writes it.</param>
    /// <param name="standard">The default.</param>
    /// <param name="range">The least and the most.</param>
    /// <param name="description">For the help.</param>
    internal static Option<int> Create(string name, int standard, (int Least, int Most) range, string description) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => standard,
        CustomParser = result => Parse(result, name, standard, range),
    };

    private static int Parse(ArgumentResult result, string name, int standard, (int Least, int Most) range)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (int.TryParse(text, out var number) && number >= range.Least && number <= range.Most)
            return number;
        result.AddError(
            $"{name} is '{text}'; it must be a whole number from {range.Least:N0} to {range.Most:N0}. Leave it out for {standard:N0}.");
        return standard;
    }
}

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace BankAccounts.Settings;

/// <summary>Options for a share, as a percentage.</summary>
internal static class ShareOption
{
    internal static Option<double> Create(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "PERCENT%",
        DefaultValueFactory = _ => 0,
        CustomParser = result => Parse(result, name),
    };

    /// <summary>Parses a share like 1% or 0.5%; null if the text is not a percentage from 0% to 100%.</summary>
    internal static double? Read(string text) =>
        text.EndsWith('%')
        && double.TryParse(text[..^1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var percent)
        && percent <= 100
            ? percent / 100
            : null;

    private static double Parse(ArgumentResult result, string name)
    {
        var text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (Read(text) is { } share)
            return share;
        result.AddError($"{name} is '{text}'; it must be a percentage from 0% to 100%, such as 1%. Leave it out for none.");
        return 0;
    }
}

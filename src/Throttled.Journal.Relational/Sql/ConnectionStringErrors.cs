using System.Data.Common;
using System.Text.RegularExpressions;

namespace Throttled.Journal.Relational;

/// <summary>What is said of a connection string that its driver cannot read. Never the string: a password in it could not be left out.</summary>
internal static partial class ConnectionStringErrors
{
    /// <summary>Whether a driver says by an error that it cannot read a connection string; each says it by several.</summary>
    internal static bool IsUnreadable(Exception error) => error is ArgumentException or KeyNotFoundException or FormatException or OverflowException
        or InvalidCastException or InvalidOperationException or NotSupportedException or NullReferenceException;

    /// <param name="text">The string.</param>
    /// <param name="known">Knows the driver's keywords.</param>
    /// <param name="database">Whose driver it is.</param>
    /// <param name="remedy">How such a string is written.</param>
    /// <param name="error">What the driver said.</param>
    internal static ArgumentException Refusal(string text, DbConnectionStringBuilder known, string database, string remedy, Exception error)
    {
        var sentence = $"The connection string is not valid for {database}";
        // A driver tells which keyword it does not know, and that may be the rest of a password.
        if (HasMoreAfterPassword(text, known))
            return new($"{sentence}: the text after the password is not a setting. If the password contains ';', put it in quotes. {remedy}");
        // It also tells a value that it cannot read. A quote that is never closed makes the password a part of that value.
        return Password().IsMatch(error.ToString())
            ? new($"{sentence}: a value begins with a quote and extends over the password. {remedy}")
            : new($"{sentence}: {ReasonOf(error)} {remedy}", error);
    }

    // SqlClient's for a switch whose value is missing.
    private static string ReasonOf(Exception error) =>
        error is NullReferenceException ? "a setting that must be True or False has no value." : DriverMessages.SentenceOf(error.Message);

    private static bool HasMoreAfterPassword(string text, DbConnectionStringBuilder known)
    {
        var keywords = Keywords(text);
        return keywords.Zip(keywords.Skip(1)).Any(pair => IsPassword(pair.First) && !known.ContainsKey(pair.Second));
    }

    private static List<string> Keywords(string text)
    {
        try
        {
            return [.. new DbConnectionStringBuilder { ConnectionString = text }.Keys.Cast<string>()];
        }
        catch (ArgumentException)
        {
            // Then drivers tell no more than at which letter.
            return [];
        }
    }

    // Misspelled too.
    private static bool IsPassword(string keyword) =>
        keyword.Contains("pas", StringComparison.OrdinalIgnoreCase) || keyword.Contains("pw", StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex("(pas|pw)[^=;]*=", RegexOptions.IgnoreCase)]
    private static partial Regex Password();
}

/// <summary>What a driver says, as a sentence among ours.</summary>
internal static partial class DriverMessages
{
    /// <summary>On one line, without the vendor's links, with a full stop.</summary>
    internal static string SentenceOf(string message)
    {
        var text = Spaces().Replace(Link().Replace(message, ""), " ").Trim();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }

    // With the words that only lead to it.
    [GeneratedRegex(@"(\b(For [a-z ]+,? )?(see|at|visit):?\s+)?https?://\S+", RegexOptions.IgnoreCase)]
    private static partial Regex Link();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}

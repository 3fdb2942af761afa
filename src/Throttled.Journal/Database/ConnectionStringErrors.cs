using System.Data.Common;
using System.Text.RegularExpressions;

namespace Throttled.Journal.Database;

/// <summary>Errors for connection strings that the driver cannot read. They never show the string, because a password cannot be removed from it.</summary>
internal static partial class ConnectionStringErrors
{
    /// <summary>Whether the error means that the driver cannot read the connection string. Each driver throws several types for that.</summary>
    internal static bool IsUnreadable(Exception error) => error is ArgumentException or KeyNotFoundException or FormatException or OverflowException
        or InvalidCastException or InvalidOperationException or NotSupportedException or NullReferenceException;

    internal static ArgumentException Refusal(string text, DbConnectionStringBuilder known, string database, string remedy, Exception error) =>
        Refusal(text, known.ContainsKey, database, remedy, error);

    /// <summary>The same without the driver's own builder: a setting whose keyword is in the driver's message is not valid.</summary>
    internal static ArgumentException Refusal(string text, string database, string remedy, Exception error) =>
        Refusal(text, keyword => !error.Message.Contains(keyword, StringComparison.OrdinalIgnoreCase), database, remedy, error);

    private static ArgumentException Refusal(string text, Func<string, bool> isKnown, string database, string remedy, Exception error)
    {
        var sentence = $"The connection string is not valid for {database}";
        // The driver's message contains the unknown keyword, which may be the rest of a password.
        if (HasMoreAfterPassword(text, isKnown))
            return new($"{sentence}: the text after the password is not a valid setting. If the password contains ';', put it in quotes. {remedy}");
        // The message also contains a value that the driver cannot read. If a quote is never closed, the password is part of that value.
        return Password().IsMatch(error.ToString())
            ? new($"{sentence}: a value begins with a quote and extends over the password. {remedy}")
            : new($"{sentence}: {ReasonOf(error)} {remedy}", error);
    }

    // SqlClient throws NullReferenceException if a True or False setting has no value.
    private static string ReasonOf(Exception error) =>
        error is NullReferenceException ? "a setting that must be True or False has no value." : DriverMessages.SentenceOf(error.Message);

    private static bool HasMoreAfterPassword(string text, Func<string, bool> isKnown)
    {
        var keywords = Keywords(text);
        return keywords.Zip(keywords.Skip(1)).Any(pair => IsPassword(pair.First) && !isKnown(pair.Second));
    }

    private static List<string> Keywords(string text)
    {
        try
        {
            return [.. new DbConnectionStringBuilder { ConnectionString = text }.Keys.Cast<string>()];
        }
        catch (ArgumentException)
        {
            // For this error, the drivers' messages contain only the position of the wrong character.
            return [];
        }
    }

    // Also finds misspelled keywords.
    private static bool IsPassword(string keyword) =>
        keyword.Contains("pas", StringComparison.OrdinalIgnoreCase) || keyword.Contains("pw", StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex("(pas|pw)[^=;]*=", RegexOptions.IgnoreCase)]
    private static partial Regex Password();
}

/// <summary>Turns a driver's message into a sentence for our messages.</summary>
internal static partial class DriverMessages
{
    /// <summary>The message on one line, without the vendor's links, with a full stop.</summary>
    internal static string SentenceOf(string message)
    {
        var text = Spaces().Replace(Link().Replace(message, ""), " ").Trim();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }

    // Also matches the words that introduce the link.
    [GeneratedRegex(@"(\b(For [a-z ]+,? )?(see|at|visit):?\s+)?https?://\S+", RegexOptions.IgnoreCase)]
    private static partial Regex Link();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}

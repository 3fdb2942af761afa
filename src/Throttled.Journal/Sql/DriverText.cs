using System.Text.RegularExpressions;

namespace Throttled.Journal.Sql;

/// <summary>What a driver says, as a sentence among ours.</summary>
internal static partial class DriverText
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

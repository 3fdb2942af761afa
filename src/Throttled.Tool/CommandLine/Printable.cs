using System.Globalization;
using System.Text;

namespace Throttled.Tool.CommandLine;

/// <summary>Makes text from a journal harmless for a terminal.</summary>
internal static class Printable
{
    private const string Ellipsis = "…";

    /// <summary>The text on one line. Characters that would move the cursor, break the line or change the direction are escaped.</summary>
    internal static string OfLine(string text)
    {
        if (!text.EnumerateRunes().Any(IsSpelt))
            return text;
        var line = new StringBuilder(text.Length + 16);
        foreach (var rune in text.EnumerateRunes())
            line.Append(IsSpelt(rune) ? Spell(rune) : rune.ToString());
        return line.ToString();
    }

    /// <summary>Cuts the text if it has more visible characters than allowed.</summary>
    internal static string Cut(string line, int most)
    {
        var starts = StringInfo.ParseCombiningCharacters(line);
        return starts.Length <= most ? line : line[..starts[most - 1]] + Ellipsis;
    }

    private static bool IsSpelt(Rune rune) => Rune.GetUnicodeCategory(rune)
        is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;

    private static string Spell(Rune rune) => rune.Value switch
    {
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        <= 0xffff => FormattableString.Invariant($"\\u{rune.Value:x4}"),
        _ => FormattableString.Invariant($"\\U{rune.Value:x8}"),
    };
}

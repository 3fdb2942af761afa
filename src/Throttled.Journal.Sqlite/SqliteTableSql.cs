using System.Text.RegularExpressions;

namespace Throttled.Journal.Sqlite;

/// <summary>Reads the text that a table was created with, as <c>sqlite_schema</c> keeps it.</summary>
internal static partial class SqliteTableSql
{
    /// <summary>
    /// Whether it says AUTOINCREMENT, the word itself: not within a quoted name, a text or a comment. Without it the numbers
    /// of deleted newest rows are given out again: https://www.sqlite.org/autoinc.html
    /// </summary>
    internal static bool HasAutoIncrement(string sql)
    {
        foreach (var token in Tokens().EnumerateMatches(sql))
        {
            if (sql.AsSpan(token.Index, token.Length).Equals("AUTOINCREMENT", StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }

    [GeneratedRegex("""--[^\n]*|/\*.*?(\*/|$)|'([^']|'')*'|"([^"]|"")*"|`([^`]|``)*`|\[[^\]]*\]|\w+""", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Tokens();
}

using System.Text.RegularExpressions;

namespace Throttled.Journal.Sqlite;

/// <summary>Reads the text that a table was created with, as <c>sqlite_schema</c> keeps it.</summary>
internal static partial class SqliteTableSql
{
    /// <summary>
    /// Whether it says AUTOINCREMENT, the word itself: not within a quoted name, a text or a comment. Without it the numbers
    /// of deleted newest rows are issued again: https://www.sqlite.org/autoinc.html
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

    /// <summary>
    /// The text of a table that remembers the numbers it issued: AUTOINCREMENT put behind the PRIMARY KEY of its column; null where that is not
    /// said of a column, or the numbers go down.
    /// </summary>
    internal static string? WithAutoIncrement(string sql)
    {
        if (HasAutoIncrement(sql))
            return sql;
        var tokens = Tokens().Matches(sql).Where(token => IsWord(token.Value) || token.Value is "(").ToList();
        var key = tokens.FindIndex(token => Is(token, "PRIMARY")) + 1;
        if (key < 2 || !Is(tokens[key], "KEY") || (!Is(tokens[key - 2], "INTEGER") && !IsNotNull(tokens, key - 2)))
            return null;
        var next = tokens.ElementAtOrDefault(key + 1);
        if (next is not null && (Is(next, "DESC") || next.Value is "(" && IsNext(sql, tokens[key], next)))
            return null;
        var at = next is not null && Is(next, "ASC") ? next : tokens[key];
        return sql.Insert(at.Index + at.Length, " AUTOINCREMENT");
    }

    private static bool IsNotNull(List<Match> tokens, int last) =>
        last > 1 && Is(tokens[last], "NULL") && Is(tokens[last - 1], "NOT") && Is(tokens[last - 2], "INTEGER");

    private static bool IsNext(string sql, Match before, Match token) =>
        string.IsNullOrWhiteSpace(sql[(before.Index + before.Length)..token.Index]);

    private static bool IsWord(string token) => char.IsLetter(token[0]);

    private static bool Is(Match token, string word) => token.Value.Equals(word, StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex("""--[^\n]*|/\*.*?(\*/|$)|'([^']|'')*'|"([^"]|"")*"|`([^`]|``)*`|\[[^\]]*\]|\w+|\(""", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Tokens();
}

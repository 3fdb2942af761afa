using System.Text.RegularExpressions;

namespace Throttled.Journal.Sqlite;

/// <summary>Reads the SQL text that created a table, as stored in <c>sqlite_schema</c>.</summary>
internal static partial class SqliteTableSql
{
    /// <summary>
    /// Whether the text has the word AUTOINCREMENT outside of quoted names, texts and comments. Without it, SQLite issues the
    /// numbers of deleted newest rows again: https://www.sqlite.org/autoinc.html
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

    /// <summary>Adds AUTOINCREMENT after the PRIMARY KEY of a column, so that the table remembers the numbers it issued.</summary>
    /// <returns>The new text; null if no INTEGER column is declared PRIMARY KEY, or if its order is descending.</returns>
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

    private static bool IsNext(string sql, Match before, Match token) => string.IsNullOrWhiteSpace(sql[(before.Index + before.Length)..token.Index]);

    private static bool IsWord(string token) => char.IsLetter(token[0]);

    private static bool Is(Match token, string word) => token.Value.Equals(word, StringComparison.OrdinalIgnoreCase);

    [GeneratedRegex("""--[^\n]*|/\*.*?(\*/|$)|'([^']|'')*'|"([^"]|"")*"|`([^`]|``)*`|\[[^\]]*\]|\w+|\(""", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Tokens();
}

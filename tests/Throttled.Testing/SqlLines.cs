using System.Text.RegularExpressions;

namespace Throttled.Testing;

/// <summary>
/// Breaks a statement of one line before its clauses, and indents the clauses of nested queries. Only white space outside of
/// quotes changes.
/// </summary>
internal static partial class SqlLines
{
    internal static string Of(string sql)
    {
        if (sql.Contains('\n', StringComparison.Ordinal))
            return sql;
        // The indent of the clauses of the query in each open parenthesis; null if the parenthesis contains something else.
        var open = new Stack<int?>([0]);
        var indent = 0;
        return Parts().Replace(sql, part =>
        {
            if (part.Value is "(")
                open.Push(part.Groups["query"].Success ? Math.Max(indent, open.Max()!.Value) + 1 : null);
            else if (part.Value is ")" && open.Count > 1)
                open.Pop();
            else if (part.Value is " " && open.Peek() is { } clause)
            {
                indent = part.Groups["condition"].Success ? clause + 1 : clause;
                return "\n" + new string(' ', 4 * indent);
            }
            return part.Value;
        });
    }

    // Quoted names and texts match as a whole, so their content is skipped.
    [GeneratedRegex("""
        '(?:[^']|'')*'|"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|\)
        |\((?<query>(?=[\s(]*(?:SELECT|WITH)\b))?
        |[ ](?=(?:FROM|WHERE|GROUP[ ]BY|ORDER[ ]BY|(?:CROSS|LEFT|OUTER)[ ](?:JOIN|APPLY)|UNION[ ]ALL|LIMIT|OFFSET|VALUES)\b)
        |[ ](?<condition>(?=AND\b))
        |(?<!CROSS|LEFT|OUTER)[ ](?=JOIN\b)
        |(?<=\)|ALL)[ ](?=SELECT\b)
        """, RegexOptions.IgnorePatternWhitespace | RegexOptions.ExplicitCapture)]
    private static partial Regex Parts();
}

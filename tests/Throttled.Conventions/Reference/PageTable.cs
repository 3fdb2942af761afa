using System.Text.RegularExpressions;

namespace Throttled.Conventions.Reference;

/// <summary>The tables of a page. A cell has its text without the backticks around code.</summary>
internal static partial class PageTable
{
    /// <summary>The rows of all tables whose first columns have these names.</summary>
    internal static IReadOnlyList<string[]> Rows(string page, params string[] columns)
    {
        var rows = new List<string[]>();
        var isIn = false;
        foreach (var line in Repository.Lines(page))
        {
            var cells = line.StartsWith('|') ? Cells(line) : [];
            if (isIn && cells.Length > 0)
                rows.Add(cells);
            isIn = cells.Length > 0 && (isIn || cells.Take(columns.Length).SequenceEqual(columns));
        }
        return [.. rows.Where(row => !row[0].StartsWith("---", StringComparison.Ordinal))];
    }

    private static string[] Cells(string line) => [.. line.Trim('|', ' ').Split('|').Select(cell => Code().Replace(cell.Trim(), "$1"))];

    [GeneratedRegex("`([^`]*)`")]
    private static partial Regex Code();
}

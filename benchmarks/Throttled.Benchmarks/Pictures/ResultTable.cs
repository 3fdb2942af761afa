using System.Globalization;
using System.Text.RegularExpressions;
using Throttled.Testing;

namespace Throttled.Benchmarks.Pictures;

/// <summary>A table of benchmarks/results/2-cores, as a benchmark wrote it.</summary>
internal sealed partial class ResultTable
{
    private readonly string _file;
    private readonly string[] _columns;
    private readonly List<string[]> _rows;

    private ResultTable(string file, IEnumerable<string> lines)
    {
        var cells = lines.Select(line => line.Trim().Trim('|').Split('|', StringSplitOptions.TrimEntries)).ToList();
        (_file, _columns, _rows) = (file, cells[0], cells[2..]);
    }

    /// <summary>The first table of a file.</summary>
    internal static ResultTable Read(string name)
    {
        var file = Path.Combine(WorkingCopy.Root, "benchmarks", "results", "2-cores", name);
        return new(name, File.ReadLines(file).SkipWhile(line => !line.StartsWith('|')).TakeWhile(line => line.StartsWith('|')));
    }

    /// <summary>The tables of a result, between empty lines.</summary>
    internal static IEnumerable<ResultTable> AllOf(IReadOnlyList<string> lines)
    {
        for (var first = 0; first < lines.Count; first++)
        {
            string[] own = [.. lines.Skip(first).TakeWhile(line => line.StartsWith('|'))];
            if (own.Length > 2)
                yield return new("", own);
            first += own.Length;
        }
    }

    /// <summary>Each row with its cells by column. Cells that are only a number are numbers, and empty cells null.</summary>
    internal IEnumerable<IReadOnlyDictionary<string, object?>> Rows() =>
        _rows.Select(row => _columns.Distinct().ToDictionary(column => column, column => Value(row[Column(column)])));

    private static object? Value(string cell) => cell.Length == 0 ? null : Leading().Replace(cell, "").Length == 0 ? Number(cell) : cell;

    /// <summary>Two columns of numbers as points. Rows without both numbers are left out.</summary>
    /// <param name="only">The value that rows have in the column; null for all rows.</param>
    internal IEnumerable<(double X, double Y)> Points(string x, string y, string? only = null, string column = "database") =>
        from row in Rows(only, column)
        let across = Number(row[Column(x)])
        let up = Number(row[Column(y)])
        where across is not null && up is not null
        select (across.Value, up.Value);

    /// <summary>A column of texts with a column of numbers, of the rows of one database.</summary>
    internal IEnumerable<(string Name, double Value)> Values(string name, string value, string database) =>
        from row in Rows(database, "database")
        let number = Number(row[Column(value)])
        where number is not null
        select (row[Column(name)], number.Value);

    private IEnumerable<string[]> Rows(string? only, string column) => _rows.Where(row => only is null || row[Column(column)] == only);

    private int Column(string name) => Array.IndexOf(_columns, name) is >= 0 and var found
        ? found
        : throw new InvalidOperationException($"{_file} has no column '{name}'. Run its benchmark again.");

    // "1,640", "0.47 ×" and "467 s" are numbers with a unit.
    private static double? Number(string cell) =>
        Leading().Match(cell) is { Success: true } match ? double.Parse(match.Value, NumberStyles.Number, CultureInfo.InvariantCulture) : null;

    [GeneratedRegex(@"^[\d,]+(\.\d+)?")]
    private static partial Regex Leading();
}

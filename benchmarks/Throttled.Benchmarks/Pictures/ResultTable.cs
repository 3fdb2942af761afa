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

    /// <summary>Two columns of numbers as points. Rows without both numbers are left out.</summary>
    /// <param name="database">The value in the column "database"; null for all rows.</param>
    internal IEnumerable<(double X, double Y)> Points(string x, string y, string? database = null) =>
        from row in Rows(database)
        let across = Number(row[Column(x)])
        let up = Number(row[Column(y)])
        where across is not null && up is not null
        select (across.Value, up.Value);

    /// <summary>A column of texts with a column of numbers, of the rows of one database.</summary>
    internal IEnumerable<(string Name, double Value)> Values(string name, string value, string database) =>
        from row in Rows(database)
        let number = Number(row[Column(value)])
        where number is not null
        select (row[Column(name)], number.Value);

    private IEnumerable<string[]> Rows(string? database) => _rows.Where(row => database is null || row[Column("database")] == database);

    private int Column(string name) => Array.IndexOf(_columns, name) is >= 0 and var found
        ? found
        : throw new InvalidOperationException($"{_file} has no column '{name}'. Run its benchmark again.");

    // "1,640", "0.47 ×" and "467 s" are numbers with a unit.
    private static double? Number(string cell) =>
        Leading().Match(cell) is { Success: true } match ? double.Parse(match.Value, NumberStyles.Number, CultureInfo.InvariantCulture) : null;

    [GeneratedRegex(@"^[\d,]+(\.\d+)?")]
    private static partial Regex Leading();
}

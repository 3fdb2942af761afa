using System.Globalization;

namespace Throttled.Tool.Reshard;

/// <summary>The result of a run, as lines.</summary>
internal static class ReportTable
{
    // Enough digits to compare by eye; the tool compares all of them.
    private const int DigestDigits = 16;

    internal static IEnumerable<string> Lines(ReshardReport report)
    {
        string[] titles = ["shard", "slices", "table", "rows", "of them here", "sha-256", "here", "outcome"];
        foreach (var line in Aligned([titles, .. report.Shards.SelectMany(Rows), .. Sums(report)], numbers: 2))
            yield return line;
        foreach (var shard in report.Shards.Where(shard => shard.Fault is not null))
            yield return string.Create(CultureInfo.InvariantCulture, $"Shard {shard.Identity.Shard}: {shard.Fault}.");
    }

    /// <summary>An empty line, and the rows in columns. Numbers begin in the fourth column.</summary>
    internal static IEnumerable<string> Aligned(IReadOnlyList<string[]> rows, int numbers)
    {
        var widths = Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length)).ToArray();
        return rows.Select(row => string.Join("  ", row.Select((cell, i) => i >= 3 && i < 3 + numbers ? cell.PadLeft(widths[i]) : cell.PadRight(widths[i]))).TrimEnd()).Prepend("");
    }

    private static IEnumerable<string[]> Rows(ShardOutcome shard) => shard.Tables.Select(table => (string[])
    [
        shard.Identity.Shard.ToString(CultureInfo.InvariantCulture), shard.Identity.Slices.ToString(), table.Table, Number(table.Source.Rows), Number(table.Found.Rows),
        table.Source.Sha256[..DigestDigits], table.Found.Sha256[..DigestDigits],
        table.Fault ?? (shard.State switch { ShardState.Written => "written", ShardState.Kept => "equal", _ => "equal; another part of the shard is not" }),
    ]);

    private static IEnumerable<string[]> Sums(ReshardReport report) => report.Shards
        .SelectMany(shard => shard.Tables)
        .GroupBy(table => table.Table)
        .Select(tables => (string[])["all", "", tables.Key, Number(tables.Sum(table => table.Source.Rows)), Number(tables.Sum(table => table.Found.Rows)), "", "", ""]);

    internal static string Number(long rows) => rows.ToString("N0", CultureInfo.InvariantCulture);
}

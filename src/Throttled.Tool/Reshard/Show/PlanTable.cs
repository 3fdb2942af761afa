using System.Globalization;

namespace Throttled.Tool.Reshard;

/// <summary>A plan, as lines.</summary>
internal static class PlanTable
{
    internal static IEnumerable<string> Lines(ReshardPlan plan)
    {
        foreach (var line in plan.Warnings)
            yield return line;
        string[] titles = ["shard", "slices", "table", "rows", "MB", "from", "a copy would"];
        foreach (var line in ReportTable.Aligned([titles, .. plan.Shards.SelectMany(Rows), .. Sums(plan)], numbers: 2))
            yield return line;
        yield return "MB is the size of the rows, without indexes. Nothing was written.";
        // Writing depends on the new servers, so its time cannot be estimated.
        yield return string.Create(
            CultureInfo.InvariantCulture, $"The rows were read in {plan.Time.TotalSeconds:N1} s. A copy takes longer: it reads the rows too, writes them, creates the indexes, and reads all rows again.");
    }

    private static IEnumerable<string[]> Rows(PlannedShard shard) => shard.Tables.Select(each => (string[])
    [
        shard.Identity.Shard.ToString(CultureInfo.InvariantCulture), shard.Identity.Slices.ToString(), each.Table, ReportTable.Number(each.Rows.Rows), Megabytes(each.Rows.Bytes),
        string.Create(CultureInfo.InvariantCulture, $"--from number {shard.From}"), shard.IsWritten switch { true => "write it", false => "compare it", null => "write or compare it" },
    ]);

    private static IEnumerable<string[]> Sums(ReshardPlan plan) => plan.Shards
        .SelectMany(shard => shard.Tables)
        .GroupBy(each => each.Table)
        .Select(tables => (string[])["all", "", tables.Key, ReportTable.Number(tables.Sum(each => each.Rows.Rows)), Megabytes(tables.Sum(each => each.Rows.Bytes)), "", ""]);

    private static string Megabytes(long bytes) => (bytes / 1e6).ToString("N1", CultureInfo.InvariantCulture);
}

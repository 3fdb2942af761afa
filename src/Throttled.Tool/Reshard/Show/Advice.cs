namespace Throttled.Tool.Reshard;

/// <summary>What the result means and what to do next, as lines.</summary>
internal static class Advice
{
    private const string Next = " Verify once more right before the application starts: throttled reshard verify with the same options.";

    private const string Started =
        "A new database has more rows than it should, or has issued later orderings than the old journal: the application has started on it. "
        + "The comparison is then meaningless. Keep the new databases, and copy nothing to them. Only if the application has not started: drop the new databases and copy again.";

    private const string Stale =
        "The old journal was written to after it was copied, or before the application was stopped: "
        + "stop the application, drop the new databases and copy again. If the application has started on them already, the comparison is meaningless.";

    internal static IEnumerable<string> Lines(ReshardReport report, bool isCopy)
    {
        foreach (var line in report.Warnings)
            yield return line;
        yield return !report.IsEqual ? "Not every row is where it should be." : isCopy ? $"Every row is there, once.{Next}" : "Every row is there, once.";
        // After a start, dropping the databases would lose what the application wrote, so no other advice is printed.
        if (HasStarted(report))
            yield return Started;
        else if (report.Shards.SelectMany(shard => shard.Tables).Any(table => table.Fault is not null))
            yield return Stale;
    }

    private static bool HasStarted(ReshardReport report) => report.Shards.Any(
        shard => shard.IsAhead || shard.Tables.Any(table => table.Found.Rows > table.Source.Rows));
}

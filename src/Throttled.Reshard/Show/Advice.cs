namespace Throttled.Reshard.Show;

/// <summary>What it comes to, and what to do next, as lines.</summary>
internal static class Advice
{
    private const string Next = " Verify once more right before the application starts: throttled-reshard verify with the same options.";

    private const string Started =
        "A new database has more rows than it should, or has given out later orderings than the old journal ever did: the application has started on it. "
        + "A comparison means nothing any more: go on with the new databases, and copy nothing to them. Only where it has not started: drop the new databases and copy anew.";

    private const string Stale =
        "The old journal was written to after it was copied, or before the application was stopped: "
        + "stop the application, drop the new databases and copy anew. Where the application has started on them already, a comparison means nothing any more.";

    internal static IEnumerable<string> Lines(ReshardReport report, bool isCopy)
    {
        foreach (var line in report.Warnings)
            yield return line;
        yield return !report.IsEqual ? "Not every row is where it should be." : isCopy ? $"Every row is there, once.{Next}" : "Every row is there, once.";
        // What the application wrote would be dropped, so that nothing else is said then.
        if (HasStarted(report))
            yield return Started;
        else if (report.Shards.SelectMany(shard => shard.Tables).Any(table => table.Fault is not null))
            yield return Stale;
    }

    private static bool HasStarted(ReshardReport report) => report.Shards.Any(
        shard => shard.IsAhead || shard.Tables.Any(table => table.Found.Rows > table.Source.Rows));
}

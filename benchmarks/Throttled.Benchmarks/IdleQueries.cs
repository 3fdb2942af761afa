namespace Throttled.Benchmarks;

/// <summary>Measures the statements per second while all queries are idle, for one query and for many.</summary>
internal static class IdleQueries
{
    private static readonly TimeSpan Watched = TimeSpan.FromSeconds(5);

    internal static async Task RunAsync()
    {
        List<string> table = ["| database | live queries | statements per second |", "|---|---:|---:|"];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var count in new[] { 1, 1_000, 100_000 })
            {
                await using var queries = await LiveQueries.StartAsync(LiveQueries.Settings(database, count, connection));
                // After its last events, the tail takes some time to reach its slowest polling.
                await Task.Delay(TimeSpan.FromSeconds(1));
                var before = queries.Measures.Statements;
                await Task.Delay(Watched);
                var rate = (queries.Measures.Statements - before) / Watched.TotalSeconds;
                table.Add($"| {database} | {count:N0} | {rate:N1} |");
            }
        });
        Results.Write(
            "idle.md",
            "Statements of idle queries",
            "All statements of a reader while nothing is written, with the default refresh interval of 200 ms: one poll per\n"
            + "interval is 5 per second. `./build.sh bench idle`",
            table);
    }
}

using CrushTest.Show;
using Throttled.Testing;

namespace Throttled.Benchmarks;

/// <summary>The crush test as its own process, on both databases and with two sizes of page.</summary>
internal static class CrushMatrix
{
    internal static async Task<int> RunAsync(string[] size)
    {
        var (streams, events) = (size.ElementAtOrDefault(0) ?? "100000", size.ElementAtOrDefault(1) ?? "100");
        List<CrushReport> reports = [];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var page in new[] { "100", "10" })
            {
                Console.WriteLine($"{database}, pages of {page} …");
                string[] where = connection is null ? [] : ["--connection", connection];
                reports.Add(await CrushProcess.RunAsync<CrushReport>(["--streams", streams, "--events", events, "--page", page, "--database", database, .. where, "--json"]));
            }
        });
        Results.Write(
            "by-id.md",
            "Live queries by persistence id",
            $"{reports[0].Streams:N0} live queries at once on {reports[0].Events:N0} events each, to the last event, 100 permits. The floor is the same\n"
            + "rows by the bare driver, a hundred ids a statement, in the same run: three rounds of each in turn, medians.\n"
            + "PostgreSQL 15 or later with fsync off, which reading does not notice. `./build.sh bench crush`",
            Table(reports));
        return 0;
    }

    private static IEnumerable<string> Table(List<CrushReport> reports)
    {
        yield return "| database | page | time over floor | statements | most at once | failed, missing, doubled, out of order | "
            + "B allocated per event | B per idle query | delivery p50 / p99 |";
        yield return "|---|---:|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var one in reports)
        {
            yield return $"| {one.Database} | {one.Page} | {one.Ratio:N2} × | {one.Statements:N0} | {one.MaxInFlight} | "
                + $"{one.Failed}, {one.Missing}, {one.Doubled}, {one.OutOfOrder} | {one.AllocatedPerEvent:N0} | {one.BytesPerLiveQuery:N0} | "
                + $"{one.DeliveryP50Ms:N0} / {one.DeliveryP99Ms:N0} ms |";
        }
    }
}

using CrushTest.Show;

namespace Throttled.Benchmarks.Growth;

/// <summary>Measures what grows with the number of live queries: time to the last event, statements and memory. Then the cost of idle ones.</summary>
internal static class QueryGrowth
{
    private const int Events = 10;

    // An actor with a stream takes 8 KB, and the existing plugin reads 100,000 queries for an hour.
    private const int MostActors = 100_000;
    private const int MostBeside = 10_000;

    internal static async Task RunAsync(string[] arguments, bool isBeside)
    {
        var given = Figures.Arguments(arguments, ("most", 1_000_000), ("idle", 3_000_000));
        List<string> times = ["| live queries | floor, s | engine, s | actors, s | Akka.Persistence.Sql, s | failed, missing, doubled, out of order |", "|---:|---:|---:|---:|---:|---:|"];
        List<string> costs = ["| live queries | events of each | seconds | statements | B allocated per event | B per idle query | idle statements per second | peak MB |", "|---:|---:|---:|---:|---:|---:|---:|---:|"];
        for (var streams = 10; streams <= given[0]; streams *= 10)
        {
            Console.WriteLine($"{streams:N0} live queries …");
            var engine = await EngineAsync(streams, Events);
            times.Add(Row(engine, streams > MostActors ? null : await ActorsAsync(streams, isBeside && streams <= MostBeside)));
            costs.Add(Row(engine));
        }
        Console.WriteLine($"{given[1]:N0} idle live queries …");
        costs.Add(Row(await EngineAsync(given[1], 1)));
        Results.Write("growth.md", "The number of live queries", Text, [.. times, "", .. costs]);
    }

    private static string Text =>
        $"Live queries by persistence id on {Events} events each, all started at once, to the last event; SQLite, 100 permits, pages of 10. The floor reads\n"
        + "the same rows with the bare driver, a hundred ids per statement. The engine's queries are read by loops without Akka, those of the plugin by\n"
        + $"actors with a stream each. Akka.Persistence.Sql runs with the same page size and permits, and with a time-out of an hour, up to {MostBeside:N0} queries.\n"
        + "One round of each. The second table is of the engine. Its last row has one event for each query. Bytes are without those of the reading loops. With\n"
        + "few queries, most of them are a reader's fixed memory. The peak is that of the process, with floor and loops.\n"
        + "`./build.sh bench growth queries --beside Akka.Persistence.Sql`";

    private static Task<CrushReport> EngineAsync(int streams, int events) => CrushProcess.RunAsync<CrushReport>(
        ["--streams", $"{streams}", "--events", $"{events}", "--idle", "2", "--engine", "--rounds", "1", "--json"]);

    private static Task<CrushReport> ActorsAsync(int streams, bool isBeside) => CrushProcess.RunAsync<CrushReport>(
    [
        "--streams", $"{streams}", "--events", $"{Events}", "--readers", "streams", "--idle", "1", "--json",
        .. isBeside ? [BenchOptions.Beside, BenchOptions.Existing] : Array.Empty<string>(),
    ]);

    private static string Row(CrushReport engine, CrushReport? actors)
    {
        var beside = actors?.Beside?.LastOrDefault(each => each.Complete == actors.Streams);
        return $"| {engine.Streams:N0} | {engine.FloorSeconds:N3} | {engine.EngineSeconds:N3} | {actors?.Seconds:N3} | {beside?.Seconds:N3} | "
            + $"{engine.Failed + (actors?.Failed ?? 0)}, {engine.Missing + (actors?.Missing ?? 0)}, {engine.Doubled + (actors?.Doubled ?? 0)}, {engine.OutOfOrder + (actors?.OutOfOrder ?? 0)} |";
    }

    private static string Row(CrushReport one) =>
        $"| {one.Streams:N0} | {one.EventsPerStream} | {one.EngineSeconds:N3} | {one.Statements:N0} | {one.AllocatedPerEvent:N0} | {one.BytesPerLiveQuery:N0} | "
        + $"{one.IdleStatementsPerSecond:N1} | {one.PeakMemoryMb:N0} |";
}

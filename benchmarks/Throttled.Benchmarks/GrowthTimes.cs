using CrushTest.Show;

namespace Throttled.Benchmarks;

/// <summary>Measures how the time to the last event grows with the number of live queries, beside the existing plugin and the bare driver.</summary>
internal static class GrowthTimes
{
    private const int Events = 10;

    // An actor with a stream takes 8 KB, and the existing plugin reads 100,000 queries for an hour.
    private const int MostActors = 100_000;
    private const int MostBeside = 10_000;

    internal static async Task RunAsync(string[] arguments)
    {
        var most = Figures.Argument(arguments, 0, 1_000_000);
        List<string> table =
            ["| live queries | floor, s | engine, s | actors, s | Akka.Persistence.Sql, s | failed, missing, doubled, out of order |", "|---:|---:|---:|---:|---:|---:|"];
        for (var streams = 10; streams <= most; streams *= 10)
        {
            Console.WriteLine($"{streams:N0} live queries …");
            table.Add(Row(await RunAsync(streams)));
        }
        Results.Write(
            "growth.md",
            "The number of live queries",
            $"Live queries by persistence id on {Events} events each, all started at once, to the last event; SQLite, 100 permits, pages of 10. The floor reads\n"
            + "the same rows with the bare driver, a hundred ids per statement. The engine's queries are read by loops without Akka, those of the plugin by\n"
            + $"actors with a stream each. Akka.Persistence.Sql runs with the same page size and permits, and with a time-out of an hour, up to {MostBeside:N0} queries.\n"
            + "One round of each, in the same run. `./build.sh bench growth`",
            table);
    }

    private static Task<CrushReport> RunAsync(int streams) => CrushProcess.RunAsync<CrushReport>(
    [
        "--streams", $"{streams}", "--events", $"{Events}", "--idle", "1", "--json",
        .. streams > MostActors ? ["--engine", "--rounds", "1"] : Array.Empty<string>(),
        .. streams <= MostBeside ? ["--beside", "Akka.Persistence.Sql"] : Array.Empty<string>(),
    ]);

    private static string Row(CrushReport one)
    {
        var beside = one.Beside?.LastOrDefault(each => each.Complete == one.Streams);
        return $"| {one.Streams:N0} | {one.FloorSeconds:N3} | {one.EngineSeconds:N3} | {(one.HasActors ? $"{one.Seconds:N3}" : "")} | "
            + $"{(beside is null ? "" : $"{beside.Seconds:N3}")} | {one.Failed}, {one.Missing}, {one.Doubled}, {one.OutOfOrder} |";
    }
}

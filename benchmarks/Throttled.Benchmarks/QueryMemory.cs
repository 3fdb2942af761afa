using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace Throttled.Benchmarks;

/// <summary>Measures the engine's memory for an idle live query, without its reading loop.</summary>
internal static class QueryMemory
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(3);

    internal static async Task RunAsync()
    {
        List<string> table = ["| database | live queries | bytes each |", "|---|---:|---:|"];
        await LiveQueries.OnEachAsync(async (database, connection) =>
        {
            foreach (var count in new[] { 10_000, 100_000 })
            {
                var settings = LiveQueries.Settings(database, count, connection);
                // The first measurement creates code, pools and the connections' buffers. After the pause, its threads hold no
                // memory of it any more.
                await MeasureAsync(settings);
                await Task.Delay(Pause);
                table.Add($"| {database} | {count:N0} | {await MeasureAsync(settings):N0} |");
            }
        });
        Results.Write(
            "memory.md",
            "Memory of idle queries",
            "Managed heap with all queries idle, after a full collection, without the persistence ids and the reading loops.\n"
            + "The loops are measured separately, on a stream without events. `./build.sh bench memory`",
            table);
    }

    private static async Task<double> MeasureAsync(CrushSettings settings)
    {
        var loops = Memory.OfLoops(CrushEvents.Ids(settings.Streams));
        var before = Memory.Kept();
        await using var queries = await LiveQueries.StartAsync(settings);
        return (double)(Memory.Kept() - before - loops.Kept - OnHeap(queries.Ids)) / settings.Streams;
    }

    // Each string takes 22 bytes besides its characters, rounded up to whole words. The array has a header too.
    private static long OnHeap(string[] ids) => 24 + ids.Sum(id => 8 + ((22L + (2 * id.Length) + 7) & ~7L));
}

using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;

namespace Throttled.Benchmarks;

/// <summary>The engine's memory for a live query that is idle, without the loop that reads it.</summary>
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
                // Once for what is made once: code, pools, connections' buffers. What a run leaves to its threads for a moment is gone after the pause.
                await MeasureAsync(settings);
                await Task.Delay(Pause);
                table.Add($"| {database} | {count:N0} | {await MeasureAsync(settings):N0} |");
            }
        });
        Results.Write(
            "memory.md",
            "Memory of idle queries",
            "Managed heap with all queries idle, after a full collection, without the persistence ids and the loops that read:\n"
            + "those are measured by the same loops on a stream that never has anything. `./build.sh bench memory`",
            table);
    }

    private static async Task<double> MeasureAsync(CrushSettings settings)
    {
        var loops = Memory.OfLoops(CrushEvents.Ids(settings.Streams));
        var before = Memory.Kept();
        await using var queries = await LiveQueries.StartAsync(settings);
        return (double)(Memory.Kept() - before - loops.Kept - OnHeap(queries.Ids)) / settings.Streams;
    }

    // Strings have a head of 22 bytes and take whole words; the array of them has a head too.
    private static long OnHeap(string[] ids) => 24 + ids.Sum(id => 8 + ((22L + (2 * id.Length) + 7) & ~7L));
}

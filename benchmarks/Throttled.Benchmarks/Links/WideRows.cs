using CrushTest.Databases;
using Throttled.Testing;

namespace Throttled.Benchmarks.Links;

/// <summary>Measures live queries on large events, on PostgreSQL, near and far from the server.</summary>
internal static class WideRows
{
    private const int Megabyte = 1_000_000;

    private static readonly (string Name, int Bytes, int EventsOfEach)[] Sizes = [("1 KB", 1_000, 100), ("10 KB", 10_000, 20), ("1 MB", Megabyte, 4)];
    private static readonly int[] Delays = [0, 5];
    private static readonly int[] Permits = [1, 8, 32];

    internal static async Task RunAsync(string[] arguments)
    {
        var megabytes = Figures.Arguments(arguments, ("megabytes", 200))[0];
        LiveQueries.RequirePostgreSql();
        using var server = PostgreSqlServer.Start();
        List<string> table =
        [
            "| payload | events | delay each way, ms | permits | seconds | events/s | MB/s | statements | most at once | B allocated per event | ÷ payload | peak heap, MB |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ];
        foreach (var (name, bytes, events) in Sizes)
        {
            var queries = (int)Math.Max(1, (long)megabytes * Megabyte / bytes / events);
            var settings = LiveQueries.Settings("postgres", queries, server.ConnectionString()) with { Events = events, Payload = CrushPayload.OfSize(bytes) };
            var run = await LinkRun.SeedAsync(settings);
            foreach (var delay in Delays)
            {
                await using var link = new DelayedLink(server.ConnectionString(), TimeSpan.FromMilliseconds(delay));
                await run.MeasureAsync(link, Permits[^1]);
                foreach (var permits in Permits)
                {
                    var one = await run.MeasureAsync(link, permits);
                    table.Add($"| {name} | {settings.AllEvents:N0} | {delay} | {permits} | {one.Seconds:N2} | {one.EventsPerSecond:N0} | {one.EventsPerSecond * bytes / Megabyte:N0} | "
                        + $"{one.Statements:N0} | {one.MostAtOnce} | {one.Allocated:N0} | {one.Allocated / bytes:N1} | {one.Peak / 1e6:N0} |");
                    Console.WriteLine(table[^1]);
                }
            }
        }
        Results.Write(
            "payloads.md",
            "Large events",
            $"Live queries by persistence id, all at once, to the last event, on {megabytes} MB of events of each size that do not compress, with pages of 500, on PostgreSQL.\n"
            + "The link is the same as in growth-permits.md. The heap and the bytes include the proxy, which copies each byte once. One round of each.\n"
            + "`./build.sh bench payloads`",
            table);
    }
}

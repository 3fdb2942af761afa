using Throttled.Benchmarks.Links;
using Throttled.Testing;

namespace Throttled.Benchmarks.Growth;

/// <summary>Measures what grows with the number of permits on PostgreSQL, at several distances to the server, beside Little's law.</summary>
internal static class PermitGrowth
{
    private const int EventsOfEach = 100;

    private static readonly int[] Delays = [0, 1, 5];

    internal static async Task RunAsync(string[] arguments)
    {
        var given = Figures.Arguments(arguments, ("most", 64), ("queries", 20_000));
        var (most, queries) = (given[0], given[1]);
        LiveQueries.RequirePostgreSql();
        // The reader leaves half of the connections to others.
        using var server = PostgreSqlServer.Start(maxConnections: 100 + (3 * most));
        var run = await LinkRun.SeedAsync(LiveQueries.Settings("postgres", queries, server.ConnectionString()) with { Events = EventsOfEach });
        List<string> table =
        [
            "| delay each way, ms | round trip, ms | permits | seconds | events/s | events/s, by Little's law | statements | mean time of a statement, ms | permits in use | most at once | B allocated per event | peak heap, MB |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ];
        var best = 0.0;
        foreach (var delay in Delays)
        {
            await using var link = new DelayedLink(server.ConnectionString(), TimeSpan.FromMilliseconds(delay));
            // The first run of a link includes the compilation of code.
            await run.MeasureAsync(link, Math.Min(most, 8));
            var trip = await link.RoundTripAsync();
            List<(int Permits, LinkFigures Figures)> rows = [];
            for (var permits = 1; permits <= most; permits *= 2)
            {
                rows.Add((permits, await run.MeasureAsync(link, permits)));
                Console.WriteLine($"{delay} ms, {permits} permits: {rows[^1].Figures.EventsPerSecond:N0} events/s");
            }
            var one = rows[0].Figures;
            // What both processors can do, whatever the distance.
            best = Math.Max(best, rows.Max(row => row.Figures.EventsPerSecond));
            table.AddRange(rows.Select(row => Row($"| {delay} | {trip:N1} | {row.Permits}", row.Figures, Math.Min(best, row.Permits * one.EventsPerSecond))));
        }
        Results.Write(
            "growth-permits.md",
            "The number of permits",
            $"{queries:N0} live queries by persistence id on {EventsOfEach} events each, all at once, to the last event, with pages of 500 and without Akka, on PostgreSQL through a\n"
            + "proxy in this process, which delays all bytes in both directions. The round trip is the measured time of SELECT 1. Little's law: the mean number of\n"
            + "statements at once is their rate times their mean time. So p permits give p times the events/s of one permit, until the processors are the limit;\n"
            + "that limit is the best rate of the rows so far. Permits in use is the rate times the mean time, as measured. One round of each, with new connections; a\n"
            + "reader begins with at most eight permits. The heap and the bytes include the proxy. `./build.sh bench growth permits`",
            table);
    }

    private static string Row(string start, LinkFigures one, double law) =>
        $"{start} | {one.Seconds:N2} | {one.EventsPerSecond:N0} | {law:N0} | {one.Statements:N0} | {1e3 * one.StatementTime:N1} | {one.InUse:N1} | {one.MostAtOnce} | "
        + $"{one.Allocated:N0} | {one.Peak / 1e6:N0} |";
}

using Throttled.Testing;

namespace Throttled.Benchmarks.Accounts;

/// <summary>Replays the accounts of the sample, in a separate process for each database; PostgreSQL has fsync on.</summary>
internal static class ProjectionRates
{
    // A run with more events writes rebuild.md.
    private const int Usual = 1_000_000;

    internal static async Task RunAsync(string[] arguments)
    {
        string[] size = [.. Figures.Arguments(arguments, ("events", Usual), ("rounds", 3)).Select(number => $"{number}")];
        List<ReplayReport> reports = [];
        if (PostgreSqlServer.IsInstalled)
        {
            using var server = PostgreSqlServer.Start(fsync: true);
            reports.Add(await CrushProcess.RunAsync<ReplayReport>(["projections-on", .. size, server.ConnectionString()]));
        }
        else
            Console.WriteLine("PostgreSQL is skipped: its server is not installed.");
        reports.Add(await CrushProcess.RunAsync<ReplayReport>(["projections-on", .. size]));
        var (file, title) = IsLarge(reports) ? ("rebuild.md", "The rebuild of a large read model") : ("projections.md", "Replays of a read model");
        Results.Write(file, title, Text(reports), Table(reports));
    }

    private static bool IsLarge(List<ReplayReport> reports) => reports[0].Events > Usual;

    private static string Text(List<ReplayReport> reports) =>
        $"A read model of bank accounts with their balances, replayed from {reports[0].Events:N0} events over {reports[0].Accounts:N0} accounts, in several ways, one after the other.\n"
        + "Rows with fewer events replayed a smaller journal with as many events per account, because they are slow. Journal and read model are\n"
        + "in one PostgreSQL server (fsync and full_page_writes on), or in two SQLite files (WAL, synchronous = FULL). The floor does the same with the\n"
        + "bare driver in the same run: read in order, fold, COPY and merge (SQLite: prepared upserts), one transaction per batch, reading and writing in turn, without\n"
        + "offsets and lanes. Rows without merged writes have a TransactionalHandler; beside one of them, a BatchHandler writes the same statements in a\n"
        + "loop. linq2db and EF Core write one event after the other; EF Core saves once a batch. Memory is sampled every 5 ms, with garbage\n"
        + $"that was not collected yet. Merging rows and their floors were measured {Rounds(reports[0].Rounds)}. After each row all balances were compared with a\n"
        + "recomputation. The fastest row took " + $"{string.Join(" and ", reports.Select(report => $"{report.OverBestFloor:N2} × the time of the fastest floor on {report.Database}"))}.\n"
        + "The ratio to the first row depends on the disk: a commit of one row by the bare driver took "
        + $"{string.Join(" and ", reports.Select(report => $"{report.CommitMs:N2} ms on {report.Database}"))}.\n"
        + $"`./build.sh bench projections{(IsLarge(reports) ? $" {reports[0].Events} {reports[0].Rounds}" : "")}`";

    private static string Rounds(int rounds) => rounds == 1 ? "once, in turn" : $"{rounds} times, in turn; the rows show the median";

    private static IEnumerable<string> Table(List<ReplayReport> reports)
    {
        yield return "| database | | batch | lanes | events replayed | events/s | ratio | floor, events/s | time over floor | managed memory, MB at most |";
        yield return "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|";
        foreach (var report in reports)
        {
            foreach (var row in report.Rows)
            {
                yield return $"| {report.Database} | {row.Name} | {row.Batch:N0} | {row.Lanes} | {row.Events:N0} | {row.EventsPerSecond:N0} | {row.Ratio:N1} × | "
                    + $"{row.FloorEventsPerSecond:N0} | {(row.OverFloor is { } over ? $"{over:N2} ×" : "")} | {row.MostMegabytes:N0} |";
            }
        }
    }
}

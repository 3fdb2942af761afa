using Throttled.Testing;

namespace Throttled.Benchmarks.Accounts;

/// <summary>Replays the accounts of the sample, in a separate process for each database; PostgreSQL has fsync on.</summary>
internal static class ProjectionRates
{
    internal static async Task RunAsync(string[] arguments)
    {
        string[] size = [.. Figures.Arguments(arguments, ("events", ReplayRow.Usual), ("rounds", 3)).Select(number => $"{number}")];
        List<ReplayReport> reports = [];
        if (PostgreSqlServer.IsInstalled)
        {
            using var server = PostgreSqlServer.Start(fsync: true);
            reports.Add(await CrushProcess.RunAsync<ReplayReport>(["projections-on", .. size, server.ConnectionString()]));
        }
        else
            Console.WriteLine("PostgreSQL is skipped: its server is not installed.");
        reports.Add(await CrushProcess.RunAsync<ReplayReport>(["projections-on", .. size]));
        if (Environment.GetEnvironmentVariable(SqlServerReplay.Variable) is { Length: > 0 } named)
            reports.Add(await CrushProcess.RunAsync<ReplayReport>(["projections-on", .. size, "sqlserver", named]));
        else
            Console.WriteLine($"SQL Server is skipped: '{SqlServerReplay.Variable}' names no server.");
        var (file, title) = IsLarge(reports) ? ("rebuild.md", "The rebuild of a large read model") : ("projections.md", "Replays of a read model");
        Results.Write(file, title, Text(reports), Table(reports, IsLarge(reports)));
    }

    private static bool IsLarge(List<ReplayReport> reports) => reports[0].Events > ReplayRow.Usual;

    private static string Text(List<ReplayReport> reports) =>
        $"A read model of bank accounts with their balances, replayed from {reports[0].Events:N0} events over {reports[0].Accounts:N0} accounts, {(IsLarge(reports) ? "with merged writes in batches of two sizes" : "in several ways")}, one after the other.\n"
        + (IsLarge(reports) ? "" : "Rows with fewer events replayed a smaller journal with as many events per account, because they are slow.\n")
        + "Journal and read model are in one PostgreSQL server (fsync and full_page_writes on), or in two SQLite files (WAL, synchronous = FULL)"
        + (HasSqlServer(reports) ? ", or in two databases of a SQL Server" : "") + ". The floor does the same with the\n"
        + $"bare driver in the same run: read in order, fold, COPY and merge (SQLite: prepared upserts{(HasSqlServer(reports) ? "; SQL Server: bulk copy, UPDATE and INSERT" : "")}), one transaction per batch, reading and writing in turn, without\n"
        + "offsets and lanes. "
        + (IsLarge(reports) ? "" : "Rows without merged writes have a TransactionalHandler; beside one of them, a BatchHandler writes the same statements in a\n"
            + "loop. linq2db and EF Core write one event after the other; EF Core saves once a batch. ")
        + "Memory is sampled every 5 ms, with garbage\n"
        + "that was not collected yet. "
        + (IsLarge(reports) ? "Before a replay, most of it holds the balances to compare with. The first half ends when half of the events were handled.\n" : "")
        + $"{(IsLarge(reports) ? "Rows" : "Merging rows")} and their floors were measured {Rounds(reports[0].Rounds)}. After each row all balances were compared with a\n"
        + "recomputation. The fastest row took " + $"{string.Join(" and ", reports.Select(report => $"{report.OverBestFloor:N2} × the time of the fastest floor on {report.Database}"))}.\n"
        + "A commit of one row by the bare driver took "
        + $"{string.Join(" and ", reports.Select(report => $"{report.CommitMs:N2} ms on {report.Database}"))}{(IsLarge(reports) ? "" : "; the time of small batches depends on it")}.\n"
        + $"`./build.sh bench projections{(IsLarge(reports) ? $" {reports[0].Events} {reports[0].Rounds}" : "")}`";

    private static bool HasSqlServer(List<ReplayReport> reports) => reports.Exists(report => report.Database == SqlServerReplay.Title);

    private static string Rounds(int rounds) => rounds == 1 ? "once, in turn" : $"{rounds} times, in turn; the rows show the median";

    private static IEnumerable<string> Table(List<ReplayReport> reports, bool isLarge)
    {
        yield return $"| database | | batch | lanes | events replayed | events/s | {(isLarge ? "÷ first row" : "ratio")} | floor, events/s | time over floor | "
            + $"{(isLarge ? "managed memory, MB: before | at most in the first half | at most in the second half" : "managed memory, MB at most")} |";
        yield return $"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|{(isLarge ? "---:|---:|" : "")}";
        foreach (var report in reports)
        {
            foreach (var row in report.Rows)
            {
                yield return $"| {report.Database} | {row.Name} | {row.Batch:N0} | {row.Lanes} | {row.Events:N0} | {row.EventsPerSecond:N0} | {row.Ratio:N1} × | "
                    + $"{row.FloorEventsPerSecond:N0} | {(row.OverFloor is { } over ? $"{over:N2} ×" : "")} | {Memory(row.Memory, isLarge)} |";
            }
        }
    }

    private static string Memory(ReplayMemory memory, bool isLarge) =>
        isLarge ? $"{memory.Before:N0} | {memory.FirstHalf:N0} | {memory.SecondHalf:N0}" : $"{Math.Max(memory.FirstHalf, memory.SecondHalf):N0}";
}

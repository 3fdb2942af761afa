using BankAccounts.Replay;
using Spectre.Console;

namespace BankAccounts.Show;

/// <summary>The report as a table.</summary>
internal static class ReplayTable
{
    internal static void Write(ReplayReport report)
    {
        var table = Tables.Of("", "batch", "lanes", "replayed", "events/s", "ratio", "floor, events/s", "time over floor", "balances");
        foreach (var row in report.Rows)
        {
            table.AddRow(
                new Text(row.Name),
                Tables.Right($"{row.Batch:N0}"),
                Tables.Right($"{row.Lanes:N0}"),
                Tables.Right($"{row.Events:N0}"),
                Tables.Right($"{row.EventsPerSecond:N0}"),
                Tables.Right($"{row.Ratio:N1} ×"),
                Tables.Right(row.FloorEventsPerSecond is { } floor ? $"{floor:N0}" : ""),
                Tables.Right(row.OverFloor is { } over ? $"{over:N2} ×" : ""),
                row.Differences == 0 ? new Text("right", new Style(Color.Green)) : new Text($"{row.Differences:N0} WRONG", new Style(Color.Red)));
        }
        var console = Tables.Open();
        console.Write(table);
        console.Write(new Text($"{report.Database}: {report.Events:N0} events of {report.Accounts:N0} accounts; a commit of one row takes {report.CommitMs:N3} ms.\n"));
        console.Write(new Text(Verdict(report) + "\n"));
        foreach (var wrong in report.Rows.Where(row => row.FirstDifference is not null))
            console.Write(new Text($"{wrong.Name}: {wrong.FirstDifference}\n", new Style(Color.Red)));
    }

    private static string Verdict(ReplayReport report)
    {
        var best = report.Best;
        return $"The fastest, {best.Name}: {best.Ratio:N0} × the first row ({Met(best.Ratio >= ReplayReport.WantedRatio, $"{ReplayReport.WantedRatio:N0} × wanted")}), "
            + $"{report.OverBestFloor:N2} × the fastest floor's time ({Met(report.OverBestFloor <= ReplayReport.WantedOverFloor, $"{ReplayReport.WantedOverFloor:N1} × at most")}), "
            + $"{best.EventsPerSecond:N0} events/s ({Met(best.EventsPerSecond >= ReplayReport.WantedRate, $"{ReplayReport.WantedRate:N0} wanted")}).";
    }

    private static string Met(bool isMet, string wanted) => isMet ? $"{wanted}: met" : $"{wanted}: MISSED";
}

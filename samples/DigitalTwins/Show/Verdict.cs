namespace DigitalTwins.Show;

/// <summary>The report in one sentence.</summary>
internal static class Verdict
{
    internal static string Of(TwinsReport report)
    {
        var who = $"{Count(report.Nodes, "node")} over {Count(report.Databases, "database")} answered {report.PerSecond:N0} requests/s";
        var rates = $"reads {report.Reads.PerSecond:N0}/s with p99 {report.Reads.P99Ms:N1} ms, writes {report.Writes.PerSecond:N0}/s with p99 {report.Writes.P99Ms:N1} ms";
        return report.IsFlawless
            ? $"{who} ({rates}); no request failed, and all {report.JournalUpdates:N0} updates are in the read model."
            : $"FLAWED: {who} ({rates}); requests without an answer: {report.Failed:N0}; answered updates that are not in the journal: {report.LostUpdates:N0}; "
                + $"{OfReadModel(report)}.";
    }

    private static string OfReadModel(TwinsReport report) => report.IsReadModelRight
        ? $"all {report.JournalUpdates:N0} updates are in the read model"
        : $"the read model has {report.ReadModelUpdates:N0} of {report.JournalUpdates:N0} updates, and {Count(report.DifferentDevices, "device")} differ";

    private static string Count(int number, string what) => $"{number:N0} {what}{(number == 1 ? "" : "s")}";
}

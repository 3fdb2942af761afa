namespace CrushTest.Show;

/// <summary>The report in one sentence.</summary>
internal static class Verdict
{
    internal static string Of(CrushReport report)
    {
        var who = $"{report.Streams:N0} {(report.HasActors ? "actors" : "live queries")}";
        var bySubscriptions = report is { SubscriptionSeconds: { } seconds, EmptySeconds: not null } ? $" (with subscriptions instead of streams in {seconds:N1} s)" : "";
        var all = $"{report.AllEvents:N0} events in {report.Seconds:N1} s, {report.Ratio:N1} × the raw floor{bySubscriptions}";
        var ours = report.IsFlawless
            ? $"{who} read {all}; no query failed, no event was lost, doubled or out of order"
            : $"FLAWED: {who} read {all}; failed queries: {report.Failed:N0}; events lost: {report.Missing:N0}, "
                + $"doubled: {report.Doubled:N0}, out of order: {report.OutOfOrder:N0}";
        return report.Beside is [var standard, var raised]
            ? $"{ours}; {standard.Plugin} {Of(standard, report.Streams)} with its default time-out, and {Of(raised, report.Streams)} with a time-out of {raised.TimeoutSeconds:N0} s."
            : $"{ours}.";
    }

    private static string Of(BesideReport run, int streams) => run.Ratio is { } ratio
        ? $"took {ratio:N1} × as long"
        : $"brought {run.Complete:N0} of {streams:N0} streams to their last event in {run.Seconds:N0} s ({run.Failed:N0} failed)";
}

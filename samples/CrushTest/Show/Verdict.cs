namespace CrushTest.Show;

/// <summary>The report in one sentence.</summary>
internal static class Verdict
{
    internal static string Of(CrushReport report)
    {
        var who = $"{report.Streams:N0} {(report.HasActors ? "actors" : "live queries")}";
        var all = $"{report.AllEvents:N0} events in {report.Seconds:N1} s, {report.Ratio:N1} × the raw floor";
        var ours = report.IsFlawless
            ? $"{who} followed {all}; none failed, none lost, doubled or out of order"
            : $"FLAWED: {who} were to follow {all}; {report.Failed:N0} failed, events lost {report.Missing:N0}, "
                + $"doubled {report.Doubled:N0}, out of order {report.OutOfOrder:N0}";
        return report.Beside is [var standard, var raised]
            ? $"{ours}; beside them {standard.Plugin} {Of(standard, report.Streams)} with its default time-out, and {Of(raised, report.Streams)} with one of {raised.TimeoutSeconds:N0} s."
            : $"{ours}.";
    }

    private static string Of(BesideReport run, int streams) => run.Ratio is { } ratio
        ? $"took {ratio:N1} × as long"
        : $"brought {run.Complete:N0} of {streams:N0} streams to their last event in {run.Seconds:N0} s ({run.Failed:N0} failed)";
}

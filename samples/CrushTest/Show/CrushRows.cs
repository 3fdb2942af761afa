namespace CrushTest.Show;

/// <summary>The lines of a <see cref="CrushReport"/>.</summary>
internal static class CrushRows
{
    internal static IEnumerable<ReportRow> Of(CrushReport report)
    {
        var all = (long)report.Streams * report.Events;
        yield return new("live queries × events", $"{report.Streams:N0} × {report.Events:N0}", $"{report.Database}, pages of {report.Page:N0}");
        yield return new("databases", $"{report.Shards:N0}", "the journal is divided among them by persistence id");
        yield return new("time to the last event", $"{report.Seconds:N2} s", "median of 3 rounds");
        yield return new("events per second", $"{report.EventsPerSecond:N0}", $"{all:N0} in all");
        yield return new("raw floor", $"{report.FloorSeconds:N2} s", "the same rows by the bare driver");
        yield return new("ratio", $"{report.Ratio:N2} ×", "time over floor");
        yield return new("processor time per event", $"{report.CpuPerEvent:N2} µs", CpuNote(report));
        yield return new("statements", $"{report.Statements:N0}", "until the last event");
        yield return new("most statements at once", $"{report.MaxInFlight:N0}", InFlightNote(report));
        yield return new("permits", $"{report.PermitsInEffect:N0}", $"in effect ({string.Join(" + ", report.PermitsOfEach)}), {report.Permits:N0} configured for each database");
        yield return new("failed queries", $"{report.Failed:N0}");
        yield return new("missing", $"{report.Missing:N0}", "events");
        yield return new("doubled", $"{report.Doubled:N0}", "events");
        yield return new("out of order", $"{report.OutOfOrder:N0}", "events");
        yield return new("statements while idle", $"{report.IdleStatementsPerSecond:N1} /s", $"for all {report.Streams:N0} queries together");
        yield return new("delivery, first after idle", $"{report.DeliveryAfterIdleMs:N1} ms", "the tail looks every 200 ms");
        yield return new("delivery, median", $"{report.DeliveryP50Ms:N1} ms", "commit to arrival, steady writes");
        yield return new("delivery, 99th percentile", $"{report.DeliveryP99Ms:N1} ms");
        yield return new("memory per live query", $"{report.BytesPerLiveQuery:N0} B", "the engine's, idle");
        yield return new("allocated per event", $"{report.AllocatedPerEvent:N0} B", "the engine's, beside the payload");
        yield return new("peak memory", $"{report.PeakMemoryMb:N0} MB", "whole process, floor included");
    }

    private static string CpuNote(CrushReport report) =>
        $"of this process, {(report.Database == "SQLite" ? "SQLite in it" : "without the server")}; the floor's {report.FloorCpuPerEvent:N2} µs";

    private static string InFlightNote(CrushReport report) =>
        report.InFlightView is { } view ? $"in {view}, with tail's" : "at the driver, with the tail's";
}

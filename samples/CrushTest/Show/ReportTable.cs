using Spectre.Console;

namespace CrushTest.Show;

/// <summary>The report as one table.</summary>
internal static class ReportTable
{
    internal static void Write(CrushReport report)
    {
        var table = new Table { Border = TableBorder.Simple, ShowHeaders = false }.AddColumns("", "", "");
        foreach (var (name, value, note) in Rows(report))
            table.AddRow(new Text(name), new Text(value).RightJustified(), new Text(note, new Style(Color.Grey)));
        var console = Open();
        console.Write(table);
        foreach (var warning in report.Warnings ?? [])
            console.Write(new Text($"The engine warned: {warning}\n", new Style(Color.Yellow)));
        console.Write(report.IsFlawless
            ? new Text("Every event came once and in order.\n", new Style(Color.Green))
            : new Text($"FLAWED. {report.FirstFailure}\n", new Style(Color.Red)));
    }

    // In a file colours would be noise, and its width is nobody's terminal.
    private static IAnsiConsole Open()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors });
        plain.Profile.Width = 120;
        return plain;
    }

    private static IEnumerable<(string Name, string Value, string Note)> Rows(CrushReport report)
    {
        var all = (long)report.Streams * report.Events;
        yield return ("live queries × events", $"{report.Streams:N0} × {report.Events:N0}", $"{report.Database}, pages of {report.Page:N0}");
        yield return ("time to the last event", $"{report.Seconds:N2} s", "median of 3 rounds");
        yield return ("events per second", $"{report.EventsPerSecond:N0}", $"{all:N0} in all");
        yield return ("raw floor", $"{report.FloorSeconds:N2} s", "the same rows by the bare driver");
        yield return ("ratio", $"{report.Ratio:N2} ×", "time over floor");
        yield return ("statements", $"{report.Statements:N0}", "until the last event");
        yield return ("most statements at once", $"{report.MaxInFlight:N0}", InFlightNote(report));
        yield return ("permits", $"{report.Permits:N0}", $"configured, {report.PermitsInEffect:N0} used at most");
        yield return ("failed queries", $"{report.Failed:N0}", "");
        yield return ("missing", $"{report.Missing:N0}", "events");
        yield return ("doubled", $"{report.Doubled:N0}", "events");
        yield return ("out of order", $"{report.OutOfOrder:N0}", "events");
        yield return ("statements while idle", $"{report.IdleStatementsPerSecond:N1} /s", $"for all {report.Streams:N0} queries together");
        yield return ("delivery, first after idle", $"{report.DeliveryAfterIdleMs:N1} ms", "the tail looks every 200 ms");
        yield return ("delivery, median", $"{report.DeliveryP50Ms:N1} ms", "commit to arrival, steady writes");
        yield return ("delivery, 99th percentile", $"{report.DeliveryP99Ms:N1} ms", "");
        yield return ("memory per live query", $"{report.BytesPerLiveQuery:N0} B", "the engine's, idle");
        yield return ("allocated per event", $"{report.AllocatedPerEvent:N0} B", "the engine's, beside the payload");
        yield return ("peak memory", $"{report.PeakMemoryMb:N0} MB", "whole process, floor included");
    }

    private static string InFlightNote(CrushReport report) =>
        report.Database == "SQLite" ? "at the driver, with the tail's" : "in pg_stat_activity, with tail's";
}

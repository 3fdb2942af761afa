using Spectre.Console;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Show;

/// <summary>The report as a table, and the verdict below.</summary>
internal static class ReportTable
{
    // More busy processors than this share of all: the machine is the limit.
    private const double Saturated = 0.9;

    internal static void Write(TwinsReport report)
    {
        var table = new Table { Border = TableBorder.Simple, ShowHeaders = false }.AddColumns("", "", "");
        foreach (var (name, value, note) in Rows(report))
            table.AddRow(new Text(name), new Text(value).RightJustified(), new Text(note, new Style(Color.Grey)));
        var console = TableConsole.Open(Console.Out, width: 1000);
        console.Write(table);
        foreach (var warning in report.Warnings ?? [])
            console.Write(new Text($"Warning: {warning}\n", new Style(Color.Yellow)));
        console.Write(new Text($"{report.Verdict}\n", new Style(report.IsFlawless ? Color.Green : Color.Red)));
    }

    internal static IEnumerable<(string Name, string Value, string Note)> Rows(TwinsReport report)
    {
        yield return ("nodes × databases", $"{report.Nodes:N0} × {report.Databases:N0}", $"{report.Devices:N0} devices, {report.Clients:N0} requests at once");
        yield return ("requests", $"{report.PerSecond:N0} /s", $"in {report.Seconds:N1} s");
        yield return ("reads", $"{report.Reads.PerSecond:N0} /s", Latency(report.Reads));
        yield return ("writes", $"{report.Writes.PerSecond:N0} /s", Latency(report.Writes));
        yield return ("failed requests", $"{report.Failed:N0}", "without an answer");
        if (report.CommitLimit is { } limit)
        {
            yield return ("limit of the commits", $"{limit:N0} /s",
                $"{report.Databases:N0} × {report.Writers:N0} commits at once of {report.CommitDelayMs:N0} ms, each of at most {Count(report.Batch)}");
        }
        yield return ("busy processors", report.MachineBusy is { } busy ? $"{busy:N2} of {report.Processors:N0}" : "not known", Busy(report));
        yield return ("read model", $"{report.ReadModelUpdates:N0}", $"of {report.JournalUpdates:N0} updates, {report.ReadModelSeconds:N1} s after the last request");
    }

    private static string Latency(RequestReport requests) =>
        $"p50 {requests.P50Ms:N1} ms, p99 {requests.P99Ms:N1} ms, longest {requests.MaxMs:N0} ms";

    private static string Busy(TwinsReport report)
    {
        var own = $"nodes {report.NodesBusy:N2}, load generator {report.GeneratorBusy:N2}";
        if (report.MachineBusy is not { } all)
            return own;
        var rest = Math.Max(0, all - report.NodesBusy - report.GeneratorBusy);
        return $"{own}, PostgreSQL and all other programs {rest:N2}{(all >= Saturated * report.Processors ? "; the processors are the limit" : "")}";
    }

    private static string Count(int events) => events == 1 ? "1 event" : $"{events:N0} events";
}

using Spectre.Console;
using Throttled.Tool.CommandLine;

namespace CrushTest.Show;

/// <summary>The report as one table, and the verdict below.</summary>
internal static class ReportTable
{
    internal static void Write(CrushReport report)
    {
        var table = new Table { Border = TableBorder.Simple, ShowHeaders = false }.AddColumns("", "", "");
        foreach (var (name, value, note) in CrushRows.Of(report))
            table.AddRow(new Text(name), new Text(value).RightJustified(), new Text(note, new Style(Color.Grey)));
        var console = TableConsole.Open(Console.Out, width: 1000);
        console.Write(table);
        foreach (var warning in report.Warnings ?? [])
            console.Write(new Text($"Warning: {warning}\n", new Style(Color.Yellow)));
        if (report.FirstFailure is { } failure)
            console.Write(new Text($"First failure: {failure}\n", new Style(Color.Red)));
        console.Write(new Text($"{report.Verdict}\n", new Style(report.IsFlawless ? Color.Green : Color.Red)));
    }
}

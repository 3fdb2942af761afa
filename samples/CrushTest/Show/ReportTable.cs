using Spectre.Console;

namespace CrushTest.Show;

/// <summary>The report as one table, and the verdict below.</summary>
internal static class ReportTable
{
    internal static void Write(CrushReport report)
    {
        var table = new Table { Border = TableBorder.Simple, ShowHeaders = false }.AddColumns("", "", "");
        foreach (var (name, value, note) in CrushRows.Of(report))
            table.AddRow(new Text(name), new Text(value).RightJustified(), new Text(note, new Style(Color.Grey)));
        var console = Open();
        console.Write(table);
        foreach (var warning in report.Warnings ?? [])
            console.Write(new Text($"Warning: {warning}\n", new Style(Color.Yellow)));
        if (report.FirstFailure is { } failure)
            console.Write(new Text($"First failure: {failure}\n", new Style(Color.Red)));
        console.Write(new Text($"{report.Verdict}\n", new Style(report.IsFlawless ? Color.Green : Color.Red)));
    }

    // Redirected output: no colours, and no line breaks within a row.
    private static IAnsiConsole Open()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors });
        plain.Profile.Width = 1000;
        return plain;
    }
}

using Spectre.Console;

namespace CrushTest.Show;

/// <summary>The report as one table.</summary>
internal static class ReportTable
{
    internal static void Write(IReport report)
    {
        var table = new Table { Border = TableBorder.Simple, ShowHeaders = false }.AddColumns("", "", "");
        foreach (var (name, value, note) in report.Rows)
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
}

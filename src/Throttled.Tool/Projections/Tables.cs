using Spectre.Console;

namespace Throttled.Tool.Projections;

internal static class Tables
{
    internal static Table Of(params string[] titles)
    {
        var table = new Table { Border = TableBorder.Simple };
        foreach (var title in titles)
            table.AddColumn(new TableColumn(new Text(title)));
        return table;
    }

    /// <summary>A number, aligned to the right.</summary>
    internal static Text Right(string text) => new Text(text).RightJustified();

    /// <summary>The message of an exception, without its place in the code.</summary>
    internal static string FirstLine(string error) => error.Split('\n', 2)[0].TrimEnd();

    // Redirected output: no colours, and no line breaks at the width of a terminal.
    internal static IAnsiConsole Open(TextWriter output)
    {
        if (!Console.IsOutputRedirected && output == Console.Out)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Out = new AnsiConsoleOutput(output) });
        plain.Profile.Width = 160;
        return plain;
    }
}

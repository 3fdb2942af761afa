using Spectre.Console;

namespace Throttled.Tool.CommandLine;

/// <summary>The console for tables. Redirected output has no colours, and no line breaks at the width of a terminal.</summary>
internal static class TableConsole
{
    internal static IAnsiConsole Open(TextWriter output, int width)
    {
        if (!Console.IsOutputRedirected && output == Console.Out)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors, Out = new AnsiConsoleOutput(output) });
        plain.Profile.Width = width;
        return plain;
    }
}

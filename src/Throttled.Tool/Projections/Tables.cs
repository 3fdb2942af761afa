using Spectre.Console;

namespace BankAccounts.Show;

/// <summary>Tables that suit the console.</summary>
internal static class Tables
{
    internal static Table Of(params string[] heads)
    {
        var table = new Table { Border = TableBorder.Simple };
        foreach (var head in heads)
            table.AddColumn(new TableColumn(new Text(head)));
        return table;
    }

    /// <summary>A figure.</summary>
    internal static Text Right(string text) => new Text(text).RightJustified();

    // In a file colours would be noise, and its width is nobody's terminal.
    internal static IAnsiConsole Open()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors });
        plain.Profile.Width = 160;
        return plain;
    }
}

using Spectre.Console;

namespace BankAccounts.Show;

internal static class Tables
{
    internal static Table Of(params string[] heads)
    {
        var table = new Table { Border = TableBorder.Simple };
        foreach (var head in heads)
            table.AddColumn(new TableColumn(new Text(head)));
        return table;
    }

    internal static Text Right(string text) => new Text(text).RightJustified();

    // A file gets no colours, and a fixed width.
    internal static IAnsiConsole Open()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;
        var plain = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors });
        plain.Profile.Width = 160;
        return plain;
    }
}

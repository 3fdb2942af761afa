using Spectre.Console;
using Throttled.Tool.CommandLine;

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

    internal static IAnsiConsole Open(TextWriter output) => TableConsole.Open(output, width: 160);
}

using System.CommandLine;
using Spectre.Console;

namespace Throttled.Tool.Projections;

/// <summary>Prints a line for each version of each projection.</summary>
internal static class ListVerb
{
    internal static Command Create() => ProjectionsCommand.OfAll("list", "Prints the projections of the database.", [], RunAsync);

    private static async Task RunAsync(VerbCall call)
    {
        var table = Tables.Of("projection", "read model", "role", "state", "lanes", "dead letters");
        foreach (var name in await call.Control.NamesAsync(call.Cancellation))
        {
            foreach (var one in await call.Control.StatusAsync(name, call.Cancellation))
            {
                table.AddRow(
                    new Text(name),
                    new Text(one.Version),
                    new Text($"{one.Role}".ToLowerInvariant()),
                    new Text($"{StatusVerb.State(one)}{StatusVerb.Lag(one)}"),
                    Tables.Right($"{StatusVerb.Running(one):N0} of {one.Lanes.Count:N0}"),
                    Tables.Right($"{one.DeadLetters:N0}"));
            }
        }
        Tables.Open(call.Output).Write(table.Rows.Count > 0 ? table : new Text("There are no projections in this database yet.\n"));
    }
}

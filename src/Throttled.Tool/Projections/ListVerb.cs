using System.CommandLine;
using Spectre.Console;
using Throttled.Projections;

namespace Throttled.Tool.Projections;

/// <summary>Prints a line for each version of each projection.</summary>
internal static class ListVerb
{
    internal static Command Create() => Verb.OfAll("list", "Prints the projections of the database.", [], RunAsync);

    private static async Task RunAsync(VerbCall call)
    {
        List<ProjectionStatus> all = [];
        foreach (var name in await call.Control.NamesAsync(call.Cancellation))
            all.AddRange(await call.Control.StatusAsync(name, call.Cancellation));
        if (call.IsJson)
            await call.WriteJsonAsync(all);
        else
            Tables.Open(call.Output).Write(all.Count > 0 ? Table(all) : new Text("There are no projections in this database yet.\n"));
    }

    private static Table Table(IReadOnlyList<ProjectionStatus> all)
    {
        var table = Tables.Of("projection", "read model", "role", "state", "lanes", "dead letters");
        foreach (var one in all)
        {
            var behind = one is { LagEvents: > 0, Lag: { } time } ? FormattableString.Invariant($", {time.TotalSeconds:N0} s behind") : "";
            table.AddRow(
                new Text(one.Name),
                new Text(one.Version),
                new Text(Versions.Role(one)),
                new Text($"{Versions.State(one)}{behind}"),
                Tables.Right(FormattableString.Invariant($"{Versions.Running(one):N0} of {one.Lanes.Count:N0}")),
                Tables.Right(FormattableString.Invariant($"{one.DeadLetters:N0}")));
        }
        return table;
    }
}

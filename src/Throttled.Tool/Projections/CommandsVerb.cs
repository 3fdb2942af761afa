using System.CommandLine;
using Spectre.Console;
using Throttled.Projections;
using Throttled.Projections.Tables;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>Prints the last commands of a projection: who gave them, why, and their results.</summary>
internal static class CommandsVerb
{
    private static readonly Option<int> Limit = NumberOption.Create("--limit", 20, (1, 10_000), "How many commands to print at most");

    internal static Command Create() => Verb.Reading("commands", "Prints the last commands: who gave them, when and why, and their results.", [Limit], async call =>
    {
        // An unknown name is an error, not an empty list.
        await Versions.ReadAsync(call);
        var commands = await call.Control.CommandsAsync(call.Name, call.Value(Limit), call.Cancellation);
        if (call.IsJson)
            await call.WriteJsonAsync(commands);
        else if (commands.Count == 0)
            await call.Output.WriteLineAsync("there were no commands in the last seven days");
        else
            Tables.Open(call.Output).Write(Table(commands));
    });

    private static Table Table(IReadOnlyList<ProjectionCommand> commands)
    {
        var table = Tables.Of("id", "given (UTC)", "by", "reason", "command", "state", "result");
        foreach (var each in commands)
        {
            var origin = each.Origin is { } known ? $"{known.User}{(known.Host is { } host ? $" on {host}" : "")}" : "not known";
            string[] cells = [Invariant($"{each.Id}"), Invariant($"{each.GivenAt.UtcDateTime:yyyy-MM-dd HH:mm:ss}"), origin, each.Origin?.Reason ?? "", Text(each), $"{each.State}".ToLowerInvariant(), each.Result ?? ""];
            table.AddRow(cells.Select(cell => new Text(Printable.OfLine(cell))));
        }
        return table;
    }

    private static string Text(ProjectionCommand each)
    {
        var number = each.SequenceNumber is { } one ? Invariant($" {one}") : "";
        return $"{VerbOf(each.Verb)} {each.Version}{(each.PersistenceId is { } id ? $": {id}{number}" : "")}";
    }

    // As the command line has it.
    private static string VerbOf(string stored) => stored switch
    {
        nameof(CommandVerb.SetLanes) => "lanes",
        nameof(CommandVerb.ForcedSwap) => "swap --force",
        _ => stored.ToLowerInvariant(),
    };
}

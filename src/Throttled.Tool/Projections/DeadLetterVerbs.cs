using System.CommandLine;
using Spectre.Console;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>The verbs about events that failed.</summary>
internal static class DeadLetterVerbs
{
    private static readonly Option<string?> Version = new("--read-model-version") { Description = "The version; the live one by default", HelpName = "NAME" };
    private static readonly Option<int> Limit = NumberOption.Create("--limit", 100, (1, 100_000), "How many at most");
    private static readonly Option<bool> All = new("--all") { Description = "All dead letters" };

    internal static IEnumerable<Command> Create()
    {
        yield return List();
        yield return Verb(
            "retry", "Tries dead letters again, in their order: one event, all of a persistence id, or all.",
            static async (call, version) => $"{await call.Control.RetryAllAsync(call.Name, version, call.Cancellation):N0} persistence ids were tried again",
            static (call, version, id, number) => call.Control.RetryAsync(call.Name, id, number, version, call.Cancellation));
        yield return Verb(
            "discard", "Removes dead letters without handling them: one event, all of a persistence id, or all.",
            static async (call, version) =>
                $"the dead letters of {await call.Control.DiscardAllAsync(call.Name, version, call.Cancellation):N0} persistence ids were discarded",
            static (call, version, id, number) => call.Control.DiscardAsync(call.Name, id, number, version, call.Cancellation));
    }

    private static Command List()
    {
        var id = Id("Only those of one persistence id");
        return ProjectionsCommand.Verb("dead-letters", "Lists events that failed, and those that queue behind them.", [id, Version, Limit], async call =>
        {
            var deadLetters = await call.Control.DeadLettersAsync(call.Name, call.Value(id), call.Value(Version), call.Value(Limit), call.Cancellation);
            if (deadLetters.Count > 0)
                Tables.Open(call.Output).Write(Table(deadLetters));
            else
                await call.Output.WriteLineAsync("there are no dead letters");
        });
    }

    private static Table Table(IReadOnlyList<DeadLetter> deadLetters)
    {
        var table = Tables.Of("persistence id", "event", "ordering", "attempts", "error");
        foreach (var each in deadLetters)
        {
            table.AddRow(
                new Text(each.Event.PersistenceId),
                Tables.Right($"{each.Event.SequenceNumber}"),
                Tables.Right($"{each.Event.Ordering}"),
                Tables.Right($"{each.Attempts}"),
                new Text(each.Error is { } error ? Tables.FirstLine(error) : "queues behind the one that failed"));
        }
        return table;
    }

    private static Command Verb(
        string name, string about, Func<VerbCall, string?, Task<string>> runAll, Func<VerbCall, string?, string, long?, Task<string>> run)
    {
        var id = Id("The persistence id");
        var number = new Argument<long?>("event") { Description = "The event's sequence number; without it, all of the persistence id", Arity = ArgumentArity.ZeroOrOne };
        return ProjectionsCommand.Verb(name, about, [id, number, Version, All], call =>
        {
            var (given, isAll) = (call.Value(id), call.Value(All));
            if (given is null != isAll)
                throw new CommandException(isAll
                    ? $"--all is given, and the persistence id '{given}' too; they exclude each other. Leave one out."
                    : $"Nothing says what to {name}. Give a persistence id, or --all.");
            return given is null ? runAll(call, call.Value(Version)) : run(call, call.Value(Version), given, call.Value(number));
        });
    }

    private static Argument<string?> Id(string description) => new("id") { Description = description, Arity = ArgumentArity.ZeroOrOne };
}

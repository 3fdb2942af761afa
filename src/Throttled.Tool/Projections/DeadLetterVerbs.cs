using System.CommandLine;
using BankAccounts.Settings;
using BankAccounts.Show;
using Spectre.Console;
using Throttled.Projections;

namespace BankAccounts.Operation;

/// <summary>The verbs about events that failed.</summary>
internal static class DeadLetterVerbs
{
    internal static IEnumerable<Command> Create()
    {
        yield return List();
        yield return Command(
            "retry", "Tries dead letters again, in their order: one event, all of an account, or all there are.",
            static async (call, version) => $"{await call.Control.RetryAllAsync(call.Settings.Name, version, call.Cancellation):N0} accounts were tried again",
            static (call, version, id, number) => call.Control.RetryAsync(call.Settings.Name, id, number, version, call.Cancellation));
        yield return Command(
            "discard", "Gives dead letters up: one event, all of an account, or all there are.",
            static async (call, version) => $"the dead letters of {await call.Control.DiscardAllAsync(call.Settings.Name, version, call.Cancellation):N0} accounts were given up",
            static (call, version, id, number) => call.Control.DiscardAsync(call.Settings.Name, id, number, version, call.Cancellation));
    }

    private static Command List()
    {
        var target = Targets.Option();
        var id = new Argument<string?>("id") { Description = "Those of one account", Arity = ArgumentArity.ZeroOrOne };
        var most = NumberOption.Create("--most", 100, (1, 100_000), "How many at most");
        return Verb.Create("dead-letters", "Lists events that failed, and those that queue behind them.", [id, target, most], async call =>
        {
            var deadLetters = await call.Control.DeadLettersAsync(
                call.Settings.Name, call.Parsed.GetValue(id), call.Parsed.GetValue(target), call.Parsed.GetValue(most), call.Cancellation);
            var table = Tables.Of("account", "event", "ordering", "attempts", "error");
            foreach (var deadLetter in deadLetters)
            {
                table.AddRow(
                    new Text(deadLetter.Event.PersistenceId),
                    Tables.Right($"{deadLetter.Event.SequenceNumber}"),
                    Tables.Right($"{deadLetter.Event.Ordering}"),
                    Tables.Right($"{deadLetter.Attempts}"),
                    new Text(deadLetter.Error is { } error ? FirstLine(error) : "queues behind the one that failed"));
            }
            if (deadLetters.Count > 0)
                Tables.Open().Write(table);
            else
                Console.WriteLine("there are no dead letters");
            return 0;
        });
    }

    // What follows says where in the code.
    private static string FirstLine(string error) => error.Split('\n', 2)[0].TrimEnd();

    private static Command Command(
        string name, string about, Func<VerbCall, string?, Task<string>> tellAll, Func<VerbCall, string?, string, long?, Task<string>> tell)
    {
        var target = Targets.Option();
        var id = new Argument<string?>("id") { Description = "The account", Arity = ArgumentArity.ZeroOrOne };
        var number = new Argument<long?>("event") { Description = "The event's sequence number; all of the account where it is left out", Arity = ArgumentArity.ZeroOrOne };
        var all = new Option<bool>("--all") { Description = "All there are" };
        return Verb.Create(name, about, [id, number, target, all], async call =>
        {
            var (account, isAll) = (call.Parsed.GetValue(id), call.Parsed.GetValue(all));
            if (account is null != isAll)
                throw new BankException(isAll
                    ? $"--all is given, and the account '{account}' too; they exclude each other. Leave one out."
                    : $"Nothing says what to {name}. Give an account, or --all.");
            var named = call.Parsed.GetValue(target);
            Console.WriteLine(await (account is null ? tellAll(call, named) : tell(call, named, account, call.Parsed.GetValue(number))));
            return 0;
        });
    }
}

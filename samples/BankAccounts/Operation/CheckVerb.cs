using System.CommandLine;
using BankAccounts.Databases;
using BankAccounts.Handlers;
using BankAccounts.History;
using BankAccounts.Settings;
using Throttled.Journal;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Operation;

internal static class CheckVerb
{
    private static readonly Argument<string?> Version = new("version") { Description = "The version; by default the view of the live one", Arity = ArgumentArity.ZeroOrOne };

    internal static Command Create() => Verb.Create(
        "check", "Recomputes all accounts from the journal, and compares them with the read model. Fails if an account differs, also because the projection is behind or events are dead letters.",
        [Version], RunAsync);

    private static async Task<int> RunAsync(VerbCall call)
    {
        if (await call.Database.CountAsync(BankTables.Own, call.Cancellation) is null)
            throw new CommandException($"--journal names a database without the table {BankTables.Own.JournalTable}. Write events first, or correct the connection string.");
        await using var journal = call.Database.OpenReader(
            new JournalOptions { Tables = BankTables.Own, CurrentQueryTimeout = TimeSpan.FromSeconds(30) });
        var recomputed = await Recomputation.OfAsync(journal, call.Cancellation);
        var table = call.Parsed.GetValue(Version) is { } version ? AccountSql.TableOf(version) : call.Settings.Name;
        var found = await AccountCheck.RunAsync(call.Database, table, recomputed, call.Cancellation);
        foreach (var difference in found.First)
            Console.WriteLine(difference);
        Console.WriteLine(found.Count == 0
            ? $"{found.Accounts:N0} accounts equal a recomputation"
            : $"{found.Count:N0} of {found.Accounts:N0} accounts differ");
        return found.Count == 0 ? 0 : CommandRun.Wrong;
    }
}

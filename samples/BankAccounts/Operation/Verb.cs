using System.CommandLine;
using System.Data.Common;
using BankAccounts.Databases;
using BankAccounts.Settings;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Operation;

/// <summary>The context of a verb.</summary>
internal sealed record VerbCall(ParseResult Parsed, BankSettings Settings, IBankDatabase Database, CancellationToken Cancellation)
{
    internal ProjectionControl Control { get; } = new(Database.ReadModel);
}

/// <summary>Creates commands that open the database, and that report its errors in one sentence.</summary>
internal static class Verb
{
    internal static Command Create(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task<int>> run) =>
        CommandRun.Create(name, about, symbols, (parsed, cancellation) => RunAsync(parsed, run, cancellation));

    private static async Task<int> RunAsync(ParseResult parsed, Func<VerbCall, Task<int>> run, CancellationToken cancellation)
    {
        var settings = BankOptions.Read(parsed);
        await using var database = IBankDatabase.Open(settings);
        try
        {
            return await run(new(parsed, settings, database, cancellation));
        }
        catch (Exception error) when (error is ProjectionException or JournalException)
        {
            throw new CommandException(error.Message, error);
        }
        catch (DbException error) when (!cancellation.IsCancellationRequested)
        {
            throw database.Explain(error);
        }
    }
}

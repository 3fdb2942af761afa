using System.CommandLine;
using System.Data.Common;
using BankAccounts.Databases;
using BankAccounts.Settings;
using Throttled.Projections;

namespace BankAccounts.Operation;

/// <summary>The context of a verb.</summary>
internal sealed record VerbCall(ParseResult Parsed, BankSettings Settings, IBankDatabase Database, CancellationToken Cancellation)
{
    internal ProjectionControl Control { get; } = new(Database.ReadModel);
}

/// <summary>Creates commands that open the database, and that report its errors in one sentence.</summary>
internal static class Verb
{
    /// <param name="about">The description for the help.</param>
    /// <param name="symbols">The options and arguments of the verb.</param>
    /// <param name="run">Runs the verb and returns its exit code.</param>
    internal static Command Create(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task<int>> run)
    {
        var command = new Command(name, about);
        foreach (var symbol in symbols)
        {
            if (symbol is Option option)
                command.Options.Add(option);
            else
                command.Arguments.Add((Argument)symbol);
        }
        command.SetAction((parsed, cancellation) => CommandRun.RunAsync(() => RunAsync(parsed, run, cancellation), cancellation));
        return command;
    }

    private static async Task<int> RunAsync(ParseResult parsed, Func<VerbCall, Task<int>> run, CancellationToken cancellation)
    {
        var settings = BankOptions.Read(parsed);
        await using var database = IBankDatabase.Open(settings);
        try
        {
            return await run(new(parsed, settings, database, cancellation));
        }
        catch (DbException error) when (!cancellation.IsCancellationRequested)
        {
            throw database.Explain(error);
        }
    }
}

using System.CommandLine;
using System.Data.Common;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>One call of a verb: its options, and what it operates on.</summary>
internal sealed record VerbCall(ParseResult Parsed, string Name, ProjectionControl Control, CancellationToken Cancellation)
{
    internal TextWriter Output => Parsed.InvocationConfiguration.Output;

    internal TextWriter Errors => Parsed.InvocationConfiguration.Error;

    internal bool IsJson => JsonOutput.IsWanted(Parsed);

    internal T? Value<T>(Option<T> option) => Parsed.GetValue(option);

    internal T? Value<T>(Argument<T> argument) => Parsed.GetValue(argument);

    internal Task WriteJsonAsync(object value) => JsonOutput.WriteAsync(Parsed, value);
}

/// <summary>Makes the verbs of <c>projections</c> and <c>dead-letters</c>.</summary>
internal static class Verb
{
    private static readonly Option<string?> Connection = new("--connection")
    {
        Description = "Connection string of the read model database: \"Data Source=accounts.db\", \"Host=…;Username=…;Password=…;Database=…\", or "
            + $"\"Server=…;User ID=…;Password=…;Database=…\". By default ${PostgreSqlServer.Variable} for postgres, and ${SqlServerAddress.Variable} for sqlserver",
        HelpName = "STRING",
    };

    private static readonly Option<bool> Execute = new("--execute") { Description = "Do it. Without this option, the verb only prints what it would do" };

    private static readonly Option<string?> Reason = new("--reason") { Description = "Why you give the command. It is stored with your login name and the name of this machine: see 'projections commands'", HelpName = "TEXT" };

    private static readonly Argument<string> Name = new("name") { Description = "The projection" };

    /// <summary>A verb that changes something. It prints a sentence, and the exit code is 0.</summary>
    internal static Command Changing(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task<string>> run) =>
        Reading(name, about, [.. symbols, Reason], async call => await WriteAsync(call, isDone: true, await run(call)));

    /// <summary>A verb that removes something. It runs with --execute; otherwise it prints a sentence that says what it would do.</summary>
    internal static Command Removing(
        string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task<string>> would, Func<VerbCall, Task<string>> run) =>
        Reading(name, about, [.. symbols, Execute, Reason], async call =>
        {
            if (call.Value(Execute))
                await WriteAsync(call, isDone: true, await run(call));
            else
                await WriteAsync(call, isDone: false, $"This would {await would(call)} Nothing was changed. Add --execute to do it.");
        });

    /// <summary>A verb about one projection. It prints its own output, and the exit code is 0.</summary>
    internal static Command Reading(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task> run) =>
        OfAll(name, about, [Name, .. symbols], call => run(call with { Name = call.Value(Name)! }));

    /// <summary>A verb that is not about one projection. Its call has no name.</summary>
    internal static Command OfAll(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task> run) =>
        CommandRun.Create(name, about, [.. symbols, JsonOutput.Option, DatabaseOptions.Database, Connection, DatabaseOptions.Config, DatabaseOptions.Entry], async (parsed, cancellation) =>
        {
            await using var readModel = new ReadModelConnection(DatabaseOptions.Read(parsed, Connection));
            try
            {
                await run(new(parsed, "", Control(parsed, readModel.Database), cancellation));
                return 0;
            }
            catch (StoredCommandException error)
            {
                throw new InterruptedException($"interrupted. {error.Message}", error);
            }
            catch (Exception error) when (error is ProjectionException or ArgumentException)
            {
                throw new CommandException(error.Message, error);
            }
            catch (DbException error) when (!cancellation.IsCancellationRequested)
            {
                throw readModel.Explain(error);
            }
        });

    private static ProjectionControl Control(ParseResult parsed, ReadModelDatabase database) => new(database, (parsed.InvocationConfiguration as VerbConfiguration)?.Time)
    {
        Origin = Origin(parsed),
        OnLongWait = notice => parsed.InvocationConfiguration.Error.WriteLine(Printable.OfLine(notice)),
    };

    private static CommandOrigin Origin(ParseResult parsed) =>
        new(Environment.UserName is { Length: > 0 } user ? user : "unknown", Environment.MachineName, parsed.CommandResult.Command.Options.Contains(Reason) ? OptionText.Named(parsed, Reason) : null);

    private static Task WriteAsync(VerbCall call, bool isDone, string result) =>
        call.IsJson ? call.WriteJsonAsync(new { isDone, result }) : call.Output.WriteLineAsync(result);
}

/// <summary>The clock, for the waits for a command.</summary>
internal sealed class VerbConfiguration(TimeProvider time) : InvocationConfiguration
{
    internal TimeProvider Time => time;
}

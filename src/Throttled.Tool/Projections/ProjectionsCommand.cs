using System.CommandLine;
using System.Data.Common;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Projections;

/// <summary>What a verb works with.</summary>
internal sealed record VerbCall(ParseResult Parsed, string Name, ProjectionControl Control, CancellationToken Cancellation)
{
    internal TextWriter Output => Parsed.InvocationConfiguration.Output;

    internal T? Value<T>(Option<T> option) => Parsed.GetValue(option);

    internal T? Value<T>(Argument<T> argument) => Parsed.GetValue(argument);
}

/// <summary>The command <c>projections</c>. Its verbs write to the read model database; the processes that run the projection do the rest.</summary>
internal static class ProjectionsCommand
{
    private const string About = """
        Operates a projection from any process, by the tables of its read model database: see docs/projections.md.

        A read model has a live version. While it is rebuilt, it has another version beside the live one.
        """;

    private static readonly Option<string?> Connection = new("--connection")
    {
        Description = "Connection string of the read model database: \"Data Source=accounts.db\", or \"Host=…;Username=…;Password=…;Database=…\". "
            + $"By default ${PostgreSqlServer.Variable} for postgres",
        HelpName = "STRING",
    };

    private static readonly Option<string?> Name = new("--name") { Description = "The projection", HelpName = "NAME" };

    internal static Command Create()
    {
        var command = new Command("projections", About) { ListVerb.Create(), StatusVerb.Create() };
        foreach (var verb in VersionVerbs.Create().Concat(DeadLetterVerbs.Create()))
            command.Subcommands.Add(verb);
        return command;
    }

    /// <summary>A verb that ends with 0 and prints a sentence.</summary>
    internal static Command Verb(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task<string>> run) =>
        Verb(name, about, symbols, async call => await call.Output.WriteLineAsync(await run(call)));

    /// <summary>A verb that ends with 0, and prints what it wants to.</summary>
    internal static Command Verb(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task> run) =>
        OfAll(name, about, [.. symbols, Name], call => run(call with
        {
            Name = OptionText.Named(call.Parsed, Name) ?? throw new CommandException("--name is missing; it must be the name of a projection."),
        }));

    /// <summary>A verb that concerns no projection, or all; its call has no name.</summary>
    internal static Command OfAll(string name, string about, IEnumerable<Symbol> symbols, Func<VerbCall, Task> run) =>
        CommandRun.Create(name, about, [.. symbols, OptionText.Database, Connection], async (parsed, cancellation) =>
        {
            var database = OptionText.DatabaseOf(parsed);
            await using var readModel = new ReadModelConnection(database, OptionText.Named(parsed, Connection));
            try
            {
                await run(new(parsed, "", new(readModel.Database), cancellation));
                return 0;
            }
            catch (ProjectionException error)
            {
                throw new CommandException(error.Message, error);
            }
            catch (DbException error) when (!cancellation.IsCancellationRequested)
            {
                throw readModel.Explain(error);
            }
        });
}

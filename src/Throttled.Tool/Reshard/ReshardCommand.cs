using System.CommandLine;
using System.Data.Common;
using Spectre.Console;
using Throttled.Journal.Database;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>The command <c>reshard</c>. Exit code 0: everything is correct. 1: rows differ. 2: the command failed.</summary>
internal static class ReshardCommand
{
    private const string About = """
        Divides an Akka.NET journal among databases, while the application is stopped: see docs/resharding.md.

        The old databases are only read. Each new one is written in one transaction: a run that was interrupted is simply started again.
        """;

    private const string AboutOffset =
        "Converts a stored offset to the new shards: an ordering of a journal without shards, or the text of a sharded journal's position";

    internal static Command Create() => new("reshard", About)
    {
        Verb("plan", "Prints which rows a copy would write to which new shard, and writes nothing; --to may be left out", ReshardOptions.OfPlan, PlanAsync),
        Verb("copy", "Copies the rows of its slices to each empty new database, and checks that they are there", ReshardOptions.OfMove, CopyAsync),
        Verb("verify", "Checks whether each new database has all rows of its slices and no others", ReshardOptions.OfMove, VerifyAsync),
        Verb("mark", "Marks a database that was not written as a shard, but has only the events of one", ReshardOptions.OfMark, MarkAsync),
        Verb("offset", AboutOffset, ReshardOptions.OfOffset, OffsetAsync),
    };

    private static Command Verb(string name, string about, IEnumerable<Symbol> symbols, Func<ParseResult, CancellationToken, Task<int>> run) =>
        CommandRun.Create(name, about, symbols, async (parsed, cancellation) =>
        {
            try
            {
                return await run(parsed, cancellation);
            }
            catch (OperationCanceledException)
            {
                throw new ReshardException("Stopped. Databases that were not written completely are unchanged; start again to continue.");
            }
            catch (Exception error) when (error is ShardMarkException or DbException or IOException or InvalidCastException or ArgumentException or FormatException)
            {
                throw new ReshardException(error.Message, error);
            }
        });

    private static Task<int> CopyAsync(ParseResult parsed, CancellationToken cancellation) =>
        MoveAsync(parsed, move => move.CopyAsync(cancellation), isCopy: true);

    private static Task<int> VerifyAsync(ParseResult parsed, CancellationToken cancellation) =>
        MoveAsync(parsed, move => move.VerifyAsync(cancellation), isCopy: false);

    private static async Task<int> MoveAsync(ParseResult parsed, Func<Resharding, Task<ReshardReport>> run, bool isCopy)
    {
        var settings = MoveReading.Read(parsed);
        await using var databases = new Databases(settings);
        var report = await WithProgressAsync(parsed, progress => run(new Resharding(settings.Tables, databases.From, databases.To, settings.Map, progress)));
        var advice = Advice.Lines(report, isCopy);
        await WriteAsync(parsed, ReshardJson.Of(report, advice), ReportTable.Lines(report).Concat(advice));
        return report.IsEqual ? 0 : CommandRun.Wrong;
    }

    private static async Task<int> PlanAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var settings = MoveReading.ReadPlan(parsed);
        await using var databases = new Databases(settings);
        var plan = await WithProgressAsync(
            parsed, progress => new Planning(settings.Tables, databases.From, databases.To, settings.Map, progress).RunAsync(TimeProvider.System, cancellation));
        await WriteAsync(parsed, ReshardJson.Of(plan), PlanTable.Lines(plan));
        return 0;
    }

    private static async Task WriteAsync(ParseResult parsed, object json, IEnumerable<string> lines)
    {
        if (JsonOutput.IsWanted(parsed))
            await JsonOutput.WriteAsync(parsed, json);
        else
            foreach (var line in lines)
                await parsed.InvocationConfiguration.Output.WriteLineAsync(line);
    }

    // A terminal gets a bar; a file or a program gets a line from time to time. With --json, these lines are on the standard error stream.
    private static Task<T> WithProgressAsync<T>(ParseResult parsed, Func<MoveProgress, Task<T>> run)
    {
        var output = JsonOutput.IsWanted(parsed) ? parsed.InvocationConfiguration.Error : parsed.InvocationConfiguration.Output;
        if (Console.IsOutputRedirected || output != Console.Out)
            return run(new(output.WriteLine, bar: null, TimeProvider.System));
        return AnsiConsole.Progress().Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn()).StartAsync(context =>
        {
            var rows = context.AddTask("rows read and read back", maxValue: 1);
            return run(new(AnsiConsole.WriteLine, share => rows.Value = share, TimeProvider.System));
        });
    }

    private static async Task<int> MarkAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var (settings, identity) = MoveReading.ReadMark(parsed);
        await using var databases = new Databases(settings);
        var rows = await ShardMarking.MarkAsync(settings.Tables, databases.To[0], identity, cancellation);
        await WriteAsync(
            parsed, new { identity.Shard, Slices = identity.Slices.ToString(), rows }, [FormattableString.Invariant($"Marked as {identity}: all of its {rows:N0} rows are of its slices.")]);
        return 0;
    }

    private static async Task<int> OffsetAsync(ParseResult parsed, CancellationToken cancellation)
    {
        var offset = OffsetReading.Read(parsed);
        await WriteAsync(parsed, new { offset }, [offset]);
        return 0;
    }
}

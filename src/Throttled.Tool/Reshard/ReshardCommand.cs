using System.CommandLine;
using System.Data.Common;
using Throttled.Journal.Database;
using Throttled.Reshard.Settings;
using Throttled.Reshard.Show;

namespace Throttled.Reshard;

/// <summary>The command line. Exit code 0: everything is correct. 1: rows differ. 2: the command failed.</summary>
internal static class ReshardCommand
{
    internal const int Differs = 1;
    internal const int Failed = 2;

    private const string About = """
        Divides an Akka.NET journal among databases, while the application is stopped: see docs/resharding.md.

        The old databases are only read. Each new one is written in one transaction: a run that was interrupted is simply started again.
        """;

    private const string AboutPosition =
        "Converts a stored position to the new shards: an ordering of a journal without shards, or the text of a sharded journal's position";

    internal static Task<int> RunAsync(string[] args, TextWriter output, TextWriter errors) => new Run(output, errors).StartAsync(args);

    private sealed class Run(TextWriter output, TextWriter errors)
    {
        internal async Task<int> StartAsync(string[] args)
        {
            var root = new RootCommand(About);
            root.Subcommands.Add(Command(
                "copy", "Copies the rows of its slices to each empty new database, and checks that they are there", Options.OfMove, CopyAsync));
            root.Subcommands.Add(Command(
                "verify", "Checks whether each new database has all rows of its slices and no others", Options.OfMove, VerifyAsync));
            root.Subcommands.Add(Command("mark", "Marks a database that was not written as a shard, but has only the events of one", Options.OfMark, MarkAsync));
            var position = Command("position", AboutPosition, Options.OfPosition, PositionAsync);
            position.Arguments.Add(Options.Position);
            root.Subcommands.Add(position);
            root.Options.OfType<VersionOption>().Single().Action = new VersionAction();
            // Off, because a connection string may begin with '@', which would name a file of further arguments.
            var parsed = root.Parse(args, new() { ResponseFileTokenReplacer = null });
            if (parsed.UnmatchedTokens is [var unknown, ..])
                return Say($"'{unknown}' is not known here; --help says what is.");
            if (parsed.Errors.Count > 0)
                return Say(parsed.Errors[0].Message);
            return await parsed.InvokeAsync(new() { Output = output, Error = errors, EnableDefaultExceptionHandler = false }).ConfigureAwait(false);
        }

        private Command Command(string name, string description, IEnumerable<Option> options, Func<ParseResult, CancellationToken, Task<int>> run)
        {
            var command = new Command(name, description);
            foreach (var option in options)
                command.Options.Add(option);
            command.SetAction((parsed, cancellation) => SafelyAsync(() => run(parsed, cancellation)));
            return command;
        }

        private async Task<int> SafelyAsync(Func<Task<int>> run)
        {
            try
            {
                return await run().ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return Say("Stopped. Databases that were not written completely are unchanged; start again to continue.");
            }
            catch (Exception error) when (error is SettingException or ReshardException or ShardMarkException or DbException or IOException
                or InvalidCastException or ArgumentException or FormatException)
            {
                return Say(error.Message);
            }
        }

        private Task<int> CopyAsync(ParseResult parsed, CancellationToken cancellation) =>
            MoveAsync(parsed, move => move.CopyAsync(cancellation), isCopy: true);

        private Task<int> VerifyAsync(ParseResult parsed, CancellationToken cancellation) =>
            MoveAsync(parsed, move => move.VerifyAsync(cancellation), isCopy: false);

        private async Task<int> MoveAsync(ParseResult parsed, Func<Resharding, Task<ReshardReport>> run, bool isCopy)
        {
            var settings = MoveReading.Read(parsed);
            var databases = new Databases(settings);
            await using var closing = databases.ConfigureAwait(false);
            var report = await run(new Resharding(settings.Tables, databases.From, databases.To, settings.Map, output.WriteLine)).ConfigureAwait(false);
            foreach (var line in ReportTable.Lines(report).Concat(Advice.Lines(report, isCopy)))
                await output.WriteLineAsync(line).ConfigureAwait(false);
            return report.IsEqual ? 0 : Differs;
        }

        private async Task<int> MarkAsync(ParseResult parsed, CancellationToken cancellation)
        {
            var (settings, identity) = MoveReading.ReadMark(parsed);
            var databases = new Databases(settings);
            await using var closing = databases.ConfigureAwait(false);
            var rows = await ShardMarking.MarkAsync(settings.Tables, databases.To[0], identity, cancellation).ConfigureAwait(false);
            await output.WriteLineAsync(FormattableString.Invariant($"Marked as {identity}: all of its {rows:N0} rows are of its slices.")).ConfigureAwait(false);
            return 0;
        }

        private async Task<int> PositionAsync(ParseResult parsed, CancellationToken cancellation)
        {
            await output.WriteLineAsync(PositionReading.Read(parsed)).ConfigureAwait(false);
            return 0;
        }

        private int Say(string message)
        {
            errors.WriteLine($"error: {message.ReplaceLineEndings(" ")}");
            return Failed;
        }
    }
}

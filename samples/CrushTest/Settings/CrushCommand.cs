using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace CrushTest.Settings;

/// <summary>The command line: one command, which ends with an exit code and one sentence.</summary>
internal static class CrushCommand
{
    private const string About = """
        Starts very many actors at once. Each actor follows the events of one persistence id with a live EventsByPersistenceId of
        the Akka.NET plugin, as a stream. The test checks that every event arrives once and in order. In the same run it
        measures, to compare:
          the raw floor         the bare driver reading the same rows
          the engine alone      the same live queries, read by loops instead of actors and streams
          subscriptions         the same actors and queries, with subscriptions instead of streams
          empty streams         the same actors and streams, without a journal

        The default is 100,000 actors and 5 million events on SQLite. It needs 0.8 GB of disk and 2 GB of memory. On two cores
        the first run takes about a minute and a half. Later runs reuse the journal and take half as long.

        The test keeps its journal for the next run. There is one for each choice of --actors, --events, --payload and --shards.
          sqlite     The file ./artifacts/crush/100000x50_bytes.db, about 140 MB per million events. Delete the directory to
                     remove all journals.
          postgres,  The tables crush_100000x50_bytes and crush_100000x50_bytes_tags, in the database of the connection string.
          sqlserver  Drop both tables to remove the journal.
        With several databases, file names end with the shard (100000x50_bytes_0of4 is the first of four) and table names with
        the number of shards (crush_100000x50_bytes_of4). Each database also has a table throttled_shards, with one row for each
        such journal.

        Exit codes: 0 every event arrived once and in order; 1 some did not, or a query failed; 2 the options are wrong or the
        database failed; 130 interrupted.
        """;

    internal static async Task<int> RunAsync(string[] args)
    {
        var options = new CrushOptions();
        var command = Create(options);
        command.SetAction((parsed, cancellation) => CommandRun.RunAsync(parsed, async () =>
        {
            var report = await Crush.RunAsync(options.Read(parsed), cancellation);
            return report.IsFlawless ? 0 : CommandRun.Wrong;
        }, cancellation));
        // After Ctrl+C a run has this long to end its statements and close what it opened.
        return await CommandRun.RunAsync(command, args, new() { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
    }

    /// <exception cref="CrushException">The options are wrong.</exception>
    internal static CrushSettings Read(params string[] args)
    {
        var options = new CrushOptions();
        var parsed = Create(options).Parse(args);
        return CommandRun.Refusal(parsed) is { } refusal ? throw new CrushException(refusal) : options.Read(parsed);
    }

    private static RootCommand Create(CrushOptions options)
    {
        var command = new RootCommand(About);
        foreach (var option in options.All)
            command.Options.Add(option);
        return command;
    }
}

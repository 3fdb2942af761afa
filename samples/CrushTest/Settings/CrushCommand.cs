using System.CommandLine;
using CrushTest.Show;
using Spectre.Console;

namespace CrushTest.Settings;

/// <summary>The command line: one command, whose end is an exit code and one sentence.</summary>
internal static class CrushCommand
{
    private const int Crushed = 1;
    private const int BadInput = 2;
    private const int Interrupted = 130;

    private const string About = """
        Starts very many actors at once. Each follows the events of one persistence id with a live EventsByPersistenceId of the
        Akka.NET plugin. The test checks that every event comes once and in order, and compares the time, in the same run, with
          the raw floor         the same rows, read by the bare driver
          the engine alone      the same live queries, read by loops instead of actors and streams
          empty streams         the same actors and streams, without a journal

        The defaults are 100,000 actors and 5 million events on SQLite. They need 0.8 GB of disk and 2 GB of memory. On two cores
        the first run takes a minute and a quarter. Later runs find the journal and take half of it.

        Each journal is kept for the next run, one for each --streams, --events, --payload and --shards.
          sqlite     The file ./artifacts/crush/100000x50_bytes.db, about 140 MB for each million events. Delete the directory
                     to be rid of all of them.
          postgres,  The tables crush_100000x50_bytes and crush_100000x50_bytes_tags, in the database that the connection string
          sqlserver  names. Drop both to be rid of them.
        Of several databases each file is named for its place (100000x50_bytes_0of4 is the first of four) and each table for their
        number (crush_100000x50_bytes_of4). The table throttled_shards of each database has one row for each such journal.

        Exit codes: 0 every event came once and in order; 1 some did not, or a query failed; 2 wrong options or no database;
        130 interrupted.
        """;

    internal static async Task<int> RunAsync(string[] args)
    {
        var options = new CrushOptions();
        var command = Create(options);
        command.SetAction((parsed, cancellation) => RunAsync(options, parsed, cancellation));
        var parsed = command.Parse(args);
        if (parsed.Errors.Count > 0)
            return Say(Refusal(parsed).Message, BadInput);
        // Ctrl+C ends a run between two statements. What it started is closed first.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
    }

    /// <exception cref="CrushException">The options are wrong.</exception>
    internal static CrushSettings Read(params string[] args)
    {
        var options = new CrushOptions();
        var parsed = Create(options).Parse(args);
        return parsed.Errors.Count == 0 ? options.Read(parsed) : throw Refusal(parsed);
    }

    private static RootCommand Create(CrushOptions options)
    {
        var command = new RootCommand(About);
        foreach (var option in options.All)
            command.Options.Add(option);
        return command;
    }

    private static CrushException Refusal(ParseResult parsed) => new($"{Sentence.Of(parsed.Errors[0].Message)} See --help.");

    private static async Task<int> RunAsync(CrushOptions options, ParseResult parsed, CancellationToken cancellation)
    {
        try
        {
            var report = await Crush.RunAsync(options.Read(parsed), cancellation);
            return report.IsFlawless ? 0 : Crushed;
        }
        catch (CrushException error)
        {
            return Say(error.Message, BadInput);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            // The terminal has written ^C where the cursor was.
            if (!Console.IsErrorRedirected)
                Console.Error.Write(AnsiConsole.Profile.Capabilities.Ansi ? "\r\e[K" : Environment.NewLine);
            return Say("interrupted.", Interrupted);
        }
    }

    private static int Say(string message, int code)
    {
        Console.Error.WriteLine($"error: {message.ReplaceLineEndings(" ")}");
        return code;
    }
}

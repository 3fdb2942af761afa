using System.CommandLine;
using Spectre.Console;

namespace CrushTest.Settings;

/// <summary>The command line.</summary>
internal static class CrushCommand
{
    private const int Crushed = 1;
    private const int BadInput = 2;
    private const int Interrupted = 130;

    private const string About = """
        Starts very many live queries at once on one journal, and counts what comes of it.

        The journal is kept for the next run, one for each pair of --streams and --events.
          sqlite     The file ./artifacts/crush/<streams>x<events>.db: about 160 MB for each million events, so some sizes
                     together soon take gigabytes. Delete the directory to be rid of them.
          postgres   The tables crush_<streams>x<events> and crush_<streams>x<events>_tags, in the database that the connection
                     string names. To be rid of them: DROP TABLE crush_100000x10, crush_100000x10_tags;
        """;

    private static readonly Option<int> Streams =
        NumberOption.Create("--streams", 100_000, (1, 10_000_000), "Persistence ids, and live queries");

    private static readonly Option<int> Events = NumberOption.Create("--events", 10, (1, 1_000_000), "Events of each persistence id");

    private static readonly Option<int> Page = NumberOption.Create("--page", 500, (1, 100_000), "Rows that one query reads at a time");

    private static readonly Option<int> Permits = NumberOption.Create("--permits", 100, (1, 10_000), "Statements that may run at once");

    private static readonly Option<string> Database =
        new("--database") { Description = "sqlite or postgres", DefaultValueFactory = _ => "sqlite" };

    private static readonly Option<string?> Connection = new("--connection")
    {
        Description = "Connection string; by default ./artifacts/crush/<streams>x<events>.db for sqlite, and $THROTTLED_POSTGRES for postgres",
    };

    private static readonly Option<int> Idle =
        NumberOption.Create("--idle", 5, (1, 3600), "Seconds for which the idle queries are watched");

    private static readonly Option<bool> Json = new("--json") { Description = "Print the result as one JSON object, and nothing else" };

    internal static async Task<int> RunAsync(string[] args)
    {
        var command = new RootCommand(About)
        {
            Streams, Events, Page, Permits, Database, Connection, Idle, Json,
        };
        command.SetAction(RunAsync);
        var parsed = command.Parse(args);
        if (parsed.Errors.Count > 0)
            return Say(parsed.Errors[0].Message, BadInput);
        // Ctrl+C ends a run between two statements; what it started is closed first.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
    }

    private static async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellation)
    {
        try
        {
            var report = await Crush.RunAsync(Read(parsed), cancellation);
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

    private static CrushSettings Read(ParseResult parsed)
    {
        var database = parsed.GetValue(Database)!;
        if (database is not ("sqlite" or "postgres"))
            throw new CrushException($"--database is '{database}'; it must be sqlite or postgres. Leave it out for sqlite.");
        return new()
        {
            Streams = parsed.GetValue(Streams),
            Events = parsed.GetValue(Events),
            Page = parsed.GetValue(Page),
            Permits = parsed.GetValue(Permits),
            Database = database,
            Connection = parsed.GetValue(Connection),
            Idle = TimeSpan.FromSeconds(parsed.GetValue(Idle)),
            Json = parsed.GetValue(Json),
        };
    }

    private static int Say(string message, int code)
    {
        Console.Error.WriteLine($"error: {message.ReplaceLineEndings(" ")}");
        return code;
    }
}

using System.CommandLine;

namespace CrushTest.Settings;

/// <summary>The command line.</summary>
internal static class CrushCommand
{
    private const string About = """
        Starts very many live queries at once on one journal, and counts what comes of it.

        The journal is kept for the next run, one for each pair of --streams and --events.
          sqlite     The file ./artifacts/crush/<streams>x<events>.db: about 160 MB for each million events, so some sizes
                     together soon take gigabytes. Delete the directory to be rid of them.
          postgres   The tables crush_<streams>x<events> and crush_<streams>x<events>_tags, in the database that the connection
                     string names. To be rid of them: DROP TABLE crush_100000x10, crush_100000x10_tags;
        """;

    internal static Task<int> RunAsync(string[] args)
    {
        var options = new CrushOptions(events: 10, page: 500);
        var command = new RootCommand(About);
        options.AddTo(command);
        return CommandRun.RunAsync(
            command, args, async (parsed, cancellation) => await Crush.RunAsync(options.Read(parsed), cancellation));
    }
}

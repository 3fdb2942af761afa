using System.CommandLine;
using CrushTest.Databases;

namespace CrushTest.Settings;

/// <summary>The command line.</summary>
internal static class CrushCommand
{
    private const string About = """
        Starts very many live queries at once on one journal, and counts what comes of it. The journal may be divided among databases:
        --connection once for each of them, or, on SQLite, --shards for as many files.

        The journal is kept for the next run, one for each pair of --streams and --events.
          sqlite     The file ./artifacts/crush/<streams>x<events>.db: about 160 MB for each million events, so some sizes
                     together soon take gigabytes. Delete the directory to be rid of them.
          postgres   The tables crush_<streams>x<events> and crush_<streams>x<events>_tags, in the database that the connection
                     string names. To be rid of them: DROP TABLE crush_100000x10, crush_100000x10_tags;
                     DELETE FROM throttled_shards WHERE journal_table = 'crush_100000x10';
          sqlserver  The same tables. Not every package source has its driver, so it has a program of its own, with these same
                     options: samples/CrushTest.SqlServer, which ./build.sh crush --database sqlserver starts.

        Of several databases each name says which it is of how many: 100000x10_0of4 is the first of four.
        """;

    internal static Task<int> RunAsync(string[] args, CrushKinds kinds)
    {
        var options = new CrushOptions(events: 10, page: 500, kinds);
        var command = new RootCommand(About);
        options.AddTo(command);
        return CommandRun.RunAsync(
            command, args, async (parsed, cancellation) => await Crush.RunAsync(options.Read(parsed), cancellation));
    }
}

using System.CommandLine;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

internal static class TailCommand
{
    private const string About = """
        Prints what an Akka.NET journal has, and what is written to it from then on.

        What to read is exactly one of --all, --tag, --id, --slices and --ids. Ctrl+C or SIGTERM ends it; a second one at once.
        """;

    internal static Command Create() => CommandRun.Create("tail", About, TailOptions.Each, async (parsed, _) =>
    {
        try
        {
            await TailRun.RunAsync(TailReading.Read(parsed));
        }
        catch (OutputClosedException)
        {
        }
        return 0;
    });
}

using System.CommandLine;
using Tail.Show;

namespace Tail.Settings;

/// <summary>The command line.</summary>
internal static class TailCommand
{
    private const int Failed = 2;

    private const string About = """
        Prints what an Akka.NET journal has, and what is written to it from then on.

        What to read is exactly one of --all, --tag, --id, --slices and --ids. Ctrl+C or SIGTERM ends it; a second one at once.
        """;

    internal static async Task<int> RunAsync(string[] args)
    {
        var command = new RootCommand(About);
        foreach (var option in TailOptions.Each)
            command.Options.Add(option);
        command.Options.OfType<VersionOption>().Single().Action = new VersionAction();
        command.SetAction((parsed, _) => RunAsync(parsed));
        // Ids and tags may begin with '@', which would name a file of further arguments.
        var parsed = command.Parse(args, new() { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
            return Say(parsed.Errors[0].Message);
        // Ctrl+C is the run's own affair.
        return await parsed.InvokeAsync(new() { ProcessTerminationTimeout = null });
    }

    private static async Task<int> RunAsync(ParseResult parsed)
    {
        try
        {
            await TailRun.RunAsync(SettingsReading.Read(parsed));
            return 0;
        }
        catch (TailException error)
        {
            return Say(error.Message);
        }
        catch (OutputClosedException)
        {
            return 0;
        }
    }

    private static int Say(string message)
    {
        Console.Error.WriteLine($"error: {Printable.OfLine(message.ReplaceLineEndings(" "))}");
        return Failed;
    }
}

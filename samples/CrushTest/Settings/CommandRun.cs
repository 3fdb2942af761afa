using System.CommandLine;
using CrushTest.Show;
using Spectre.Console;

namespace CrushTest.Settings;

/// <summary>Runs a command, and makes an exit code and one sentence of whatever ends it.</summary>
internal static class CommandRun
{
    private const int Crushed = 1;
    private const int BadInput = 2;
    private const int Interrupted = 130;

    /// <param name="command">The command.</param>
    /// <param name="args">As the user wrote them.</param>
    /// <param name="run">What it does.</param>
    internal static async Task<int> RunAsync(RootCommand command, string[] args, Func<ParseResult, CancellationToken, Task<IReport>> run)
    {
        command.SetAction((parsed, cancellation) => RunAsync(() => run(parsed, cancellation), cancellation));
        var parsed = command.Parse(args);
        if (parsed.Errors.Count > 0)
            return Say(parsed.Errors[0].Message, BadInput);
        // Ctrl+C ends a run between two statements; what it started is closed first.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
    }

    private static async Task<int> RunAsync(Func<Task<IReport>> run, CancellationToken cancellation)
    {
        try
        {
            var report = await run();
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

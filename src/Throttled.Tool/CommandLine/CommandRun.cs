using System.CommandLine;
using Spectre.Console;
using Throttled.Journal;
using Throttled.Projections;

namespace BankAccounts.Settings;

/// <summary>Runs a command, and makes an exit code and one sentence of whatever ends it.</summary>
internal static class CommandRun
{
    /// <summary>It ran, and what it found is wrong.</summary>
    internal const int Wrong = 1;

    private const int BadInput = 2;
    private const int Interrupted = 130;

    internal static async Task<int> RunAsync(RootCommand root, string[] args)
    {
        // Ids may begin with '@', which would name a file of further arguments.
        var parsed = root.Parse(args, new() { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
            return Say(parsed.Errors[0].Message, BadInput);
        // Ctrl+C ends a run between two batches; what it started is closed first.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
    }

    internal static async Task<int> RunAsync(Func<Task<int>> run, CancellationToken cancellation)
    {
        try
        {
            return await run();
        }
        catch (Exception error) when (error is BankException or ProjectionException or JournalException)
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

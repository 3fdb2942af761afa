using System.CommandLine;
using System.CommandLine.Invocation;
using Spectre.Console;

namespace Throttled.Tool.CommandLine;

/// <summary>Runs a command. The result is an exit code, and one sentence if something went wrong.</summary>
internal static class CommandRun
{
    /// <summary>The command ran, and what it checked is wrong.</summary>
    internal const int Wrong = 1;

    internal const int Failed = 2;

    private const int Interrupted = 130;

    /// <summary>A command with options and arguments, whose exit code is the result of <paramref name="run"/>.</summary>
    internal static Command Create(string name, string about, IEnumerable<Symbol> symbols, Func<ParseResult, CancellationToken, Task<int>> run)
    {
        var command = new Command(name, about);
        foreach (var symbol in symbols)
        {
            if (symbol is Option option)
                command.Options.Add(option);
            else
                command.Arguments.Add((Argument)symbol);
        }
        command.SetAction((parsed, cancellation) => RunAsync(parsed, () => run(parsed, cancellation), cancellation));
        return command;
    }

    internal static async Task<int> RunAsync(RootCommand root, string[] args, InvocationConfiguration configuration, CancellationToken cancellation = default)
    {
        // Ids and connection strings may begin with '@', which would name a file of further arguments.
        var parsed = root.Parse(args, new() { ResponseFileTokenReplacer = null });
        if (Refusal(parsed) is not { } refusal)
            return await parsed.InvokeAsync(configuration, cancellation);
        Say(configuration.Error, refusal, Failed);
        await configuration.Error.WriteAsync(Suggestion(parsed));
        return Failed;
    }

    // The parser writes the names that are likely meant to its output, and all errors to its error stream. The refusal says the first error already.
    private static string Suggestion(ParseResult parsed)
    {
        if (parsed.Action is not ParseErrorAction suggests)
            return "";
        using var output = new StringWriter();
        suggests.ShowHelp = false;
        suggests.ShowTypoCorrections = true;
        parsed.InvocationConfiguration.Output = output;
        parsed.InvocationConfiguration.Error = TextWriter.Null;
        suggests.Invoke(parsed);
        var lines = output.ToString().Split('\n').Select(line => line.TrimEnd()).Where(line => line.Length > 0).ToList();
        return lines.Count > 0 ? string.Join(Environment.NewLine, lines) + Environment.NewLine : "";
    }

    /// <summary>Why the arguments are refused; null if they are not.</summary>
    internal static string? Refusal(ParseResult parsed) =>
        parsed.UnmatchedTokens is [var unknown, ..] ? $"'{unknown}' is not known here. See --help."
        : parsed.Errors is [var error, ..] ? $"{Sentence.Of(error.Message)} See --help."
        : null;

    internal static async Task<int> RunAsync(ParseResult parsed, Func<Task<int>> run, CancellationToken cancellation)
    {
        var errors = parsed.InvocationConfiguration.Error;
        try
        {
            return await run();
        }
        catch (CommandException error)
        {
            return Say(errors, error.Message, Failed);
        }
        catch (OperationCanceledException error) when (cancellation.IsCancellationRequested)
        {
            // The terminal has written ^C where the cursor was.
            if (!Console.IsErrorRedirected)
                errors.Write(AnsiConsole.Profile.Capabilities.Ansi ? "\r\e[K" : Environment.NewLine);
            return Say(errors, error is InterruptedException ? error.Message : "interrupted.", Interrupted);
        }
    }

    private static int Say(TextWriter errors, string message, int code)
    {
        errors.WriteLine($"error: {Printable.OfLine(message.ReplaceLineEndings(" "))}");
        return code;
    }
}

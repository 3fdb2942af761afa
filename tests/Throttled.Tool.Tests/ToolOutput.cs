namespace Throttled.Tool.Tests;

/// <summary>What a command line of the tool ended with, when it ran in this process.</summary>
internal sealed record ToolOutput(int Code, string Output, string Errors)
{
    internal static async Task<ToolOutput> OfAsync(params string[] arguments)
    {
        using var output = new StringWriter();
        using var errors = new StringWriter();
        return new(await ToolCommand.RunAsync(arguments, TextWriter.Synchronized(output), errors), output.ToString(), errors.ToString());
    }
}

using System.Text;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>A command line of resharding, run in this process.</summary>
internal sealed class ToolRun(string[] arguments)
{
    internal string Output { get; private set; } = "";

    internal string Errors { get; private set; } = "";

    internal string[] Arguments { get; } = ["reshard", .. arguments];

    /// <summary>Runs it; it must end with a code.</summary>
    internal async Task<ToolRun> EndsWithAsync(int code)
    {
        var (output, errors) = (new StringBuilder(), new StringBuilder());
        await using var lines = new StringWriter(output);
        await using var failures = new StringWriter(errors);
        var found = await ToolCommand.RunAsync(Arguments, TextWriter.Synchronized(lines), failures);
        (Output, Errors) = (output.ToString(), errors.ToString());
        Assert.True(found == code, $"The tool ended with {found} and not {code}.\n{Output}{Errors}");
        return this;
    }
}

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
        (var found, Output, Errors) = await ToolOutput.OfAsync(Arguments);
        Assert.True(found == code, $"The tool ended with {found} and not {code}.\n{Output}{Errors}");
        return this;
    }
}

using System.Diagnostics;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>The tool in a process of its own, which is killed when this is disposed.</summary>
internal sealed class KilledTool : IAsyncDisposable
{
    private readonly Process _process;
    private volatile string _output = "";

    internal KilledTool(IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo("dotnet", [typeof(ToolCommand).Assembly.Location, .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
        _process = new() { StartInfo = start };
        _process.OutputDataReceived += (_, line) => _output += line.Data + "\n";
        _process.ErrorDataReceived += (_, line) => _output += line.Data + "\n";
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>What it has said until now.</summary>
    internal string Output => _output;

    internal bool HasEnded => _process.HasExited;

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
            _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}

using System.Diagnostics;

namespace Throttled.Faults.Processes;

/// <summary>Another process of the same assembly. Its output is collected, and it can be killed. See <see cref="Program"/>.</summary>
internal sealed class OtherProcess : IAsyncDisposable
{
    private readonly List<string> _lines = [];
    private readonly Process _process;
    private readonly Task _reading;

    private OtherProcess(string[] arguments)
    {
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        foreach (var each in (string[])["exec", typeof(OtherProcess).Assembly.Location, .. arguments])
            start.ArgumentList.Add(each);
        // The process is too short-lived to profit from profile-guided optimization.
        start.Environment["DOTNET_TieredPGO"] = "0";
        _process = Process.Start(start)!;
        _reading = Task.Run(ReadAsync);
    }

    internal bool HasEnded => _process.HasExited;

    internal int ExitCode => _process.ExitCode;

    /// <summary>The lines that it has printed.</summary>
    internal IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines)
                return [.. _lines];
        }
    }

    internal static OtherProcess Start(params string[] arguments) => new(arguments);

    /// <summary>Runs a process to its end, which must be successful.</summary>
    internal static async Task RunAsync(params string[] arguments)
    {
        await using var process = Start(arguments);
        await process._process.WaitForExitAsync().WithinAsync($"the end of '{string.Join(' ', arguments)}'");
        Assert.Equal(0, process._process.ExitCode);
    }

    /// <summary>Waits until it has printed the given number of lines that begin with a word.</summary>
    internal Task UntilAsync(string word, int count) => Wait.UntilAsync(
        () => Count(word) >= count || HasEnded && Fails(word), () => $"{count} lines of '{word}' of another process; there are {Count(word)}");

    /// <summary>Writes a line to its standard input.</summary>
    internal async Task TellAsync(string line)
    {
        await _process.StandardInput.WriteLineAsync(line);
        await _process.StandardInput.FlushAsync();
    }

    /// <summary>Sends it a signal.</summary>
    /// <param name="signal">The name without SIG, as in STOP.</param>
    internal void Signal(string signal) => Assert.True(Signals.Send(signal, _process.Id), $"{signal} did not reach the process.");

    /// <summary>Waits until it ends by itself.</summary>
    internal async Task EndedAsync(string what)
    {
        await _process.WaitForExitAsync().WithinAsync(what);
        await _reading.WithinAsync("the last lines of a process");
    }

    /// <summary>Kills it with SIGKILL, and waits until its whole output was read.</summary>
    internal async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync().WithinAsync("the end of a killed process");
        await _reading.WithinAsync("the last lines of a killed process");
    }

    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        _process.Dispose();
    }

    /// <summary>The number of lines that begin with a word.</summary>
    internal int Count(string word) => Lines.Count(line => line.StartsWith(word, StringComparison.Ordinal));

    private bool Fails(string word) =>
        throw new InvalidOperationException($"The process ended with {_process.ExitCode} before it printed enough of '{word}'.");

    // An incomplete last line, cut off by a kill, is ignored.
    private async Task ReadAsync()
    {
        var rest = "";
        var buffer = new char[4096];
        while (await _process.StandardOutput.ReadAsync(buffer) is > 0 and var read)
        {
            var parts = (rest + new string(buffer, 0, read)).Split('\n');
            rest = parts[^1];
            lock (_lines)
                _lines.AddRange(parts[..^1]);
        }
    }
}

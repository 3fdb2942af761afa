using System.Diagnostics;
using Throttled.Tool.CommandLine;

namespace DigitalTwins.Nodes;

/// <summary>A node, as the parent sees it.</summary>
internal sealed class NodeProcess : IAsyncDisposable
{
    private const int KeptLines = 10;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private readonly Queue<string> _lines = [];
    private readonly string _name;
    private readonly Process _process;

    private NodeProcess(string name)
    {
        _name = name;
        _process = new() { StartInfo = Command(name) };
        _process.OutputDataReceived += (_, line) => Add(line.Data);
        _process.ErrorDataReceived += (_, line) => Add(line.Data);
    }

    /// <summary>Ends when the process ends.</summary>
    internal Task Ended => _process.WaitForExitAsync();

    /// <summary>What the node has used so far.</summary>
    internal TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.HasExited ? TimeSpan.Zero : _process.TotalProcessorTime;
        }
    }

    /// <summary>The last lines that the node wrote, its warnings and errors.</summary>
    internal IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines)
                return [.. _lines];
        }
    }

    internal static NodeProcess Start(NodeSettings settings)
    {
        var node = new NodeProcess(settings.Name);
        node._process.Start();
        node._process.BeginOutputReadLine();
        node._process.BeginErrorReadLine();
        node._process.StandardInput.WriteLine(settings.Write());
        node._process.StandardInput.Flush();
        return node;
    }

    /// <summary>The error of a node that ended by itself.</summary>
    internal CommandException Died() => new(
        $"{_name} ended with code {_process.ExitCode} in the middle of the run. "
        + (Lines is { Count: > 0 } lines ? $"It wrote last: {string.Join(" | ", lines)}" : "It wrote nothing; see the system's log."));

    /// <summary>Lets the node end, and kills it if it does not.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            _process.StandardInput.Close();
            using var patience = new CancellationTokenSource(Patience);
            await _process.WaitForExitAsync(patience.Token);
        }
        // It has ended already, or does not end.
        catch (Exception error) when (error is IOException or OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
        }
        _process.Dispose();
    }

    // This executable again: started by its own launcher, or by dotnet.
    private static ProcessStartInfo Command(string name)
    {
        var program = Environment.ProcessPath!;
        var isLauncher = Path.GetFileNameWithoutExtension(program) == typeof(NodeProcess).Assembly.GetName().Name;
        return new(program, [.. isLauncher ? [] : (string[])["exec", typeof(NodeProcess).Assembly.Location], "node", name])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
    }

    private void Add(string? line)
    {
        // The stack traces would push out the messages.
        if (string.IsNullOrWhiteSpace(line) || line.StartsWith("   at ", StringComparison.Ordinal))
            return;
        lock (_lines)
        {
            _lines.Enqueue(line);
            if (_lines.Count > KeptLines)
                _lines.Dequeue();
        }
    }
}

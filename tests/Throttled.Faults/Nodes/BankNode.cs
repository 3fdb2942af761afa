using Throttled.Faults.Processes;

namespace Throttled.Faults.Nodes;

/// <summary>A node of a cluster, as the tests see its process.</summary>
internal sealed class BankNode(NodeWork work) : IAsyncDisposable
{
    private const string FeedStarted = $"Feed '{NodeWork.Feed}': this node reads";

    private readonly OtherProcess _process = OtherProcess.Start("node", work.Write());

    internal NodeWork Work => work;

    internal string Host => work.Address.Host;

    internal OtherProcess Process => _process;

    /// <summary>Whether the feed runs on the node, or ran there last.</summary>
    internal bool HasFeed => _process.Lines.Any(line => line.Contains(FeedStarted, StringComparison.Ordinal));

    /// <summary>Whether the node ended because the cluster had downed it.</summary>
    internal bool WasDowned => _process.HasEnded && _process.Count("terminated") > 0;

    /// <summary>Waits until the node is Up and has its share of the budget.</summary>
    internal async Task UntilReadingAsync()
    {
        await _process.UntilAsync($"up {Host}", 1);
        await _process.UntilAsync("reading", 1);
    }

    /// <summary>Waits until this node has seen an event of another one.</summary>
    /// <param name="what">up, removed, unreachable or reachable.</param>
    /// <param name="other">The other node.</param>
    /// <param name="times">How often this node must have seen it.</param>
    internal Task UntilSeenAsync(string what, BankNode other, int times = 1) => _process.UntilAsync($"{what} {other.Host}", times);

    /// <summary>How often this node has seen an event of another one.</summary>
    internal int Seen(string what, BankNode other) => _process.Count($"{what} {other.Host}");

    internal Task KillAsync() => _process.KillAsync();

    /// <summary>The node keeps its batches open from now on. Only the server shows whether one is open.</summary>
    internal Task KeepAsync() => _process.TellAsync(NodeProgram.Keep);

    /// <summary>Stops the process (SIGSTOP).</summary>
    internal Task StopAsync() => Task.Run(() => _process.Signal("STOP"));

    /// <summary>Lets a stopped process continue.</summary>
    internal Task ContinueAsync() => Task.Run(() => _process.Signal("CONT"));

    /// <summary>Lets a stopped node continue, commit what it kept open, and keep no more batches open.</summary>
    internal async Task ReleaseAsync()
    {
        await _process.TellAsync(NodeProgram.Release);
        await ContinueAsync();
    }

    /// <summary>Lets the node leave the cluster, and waits for its end.</summary>
    internal async Task LeaveAsync()
    {
        await _process.TellAsync(NodeProgram.Leave);
        await _process.EndedAsync("the end of a node that leaves");
        Assert.Equal(0, _process.ExitCode);
    }

    /// <summary>Asserts that no query of the node was wrong.</summary>
    internal void Check() => Assert.DoesNotContain(_process.Lines, line => line.StartsWith("wrong", StringComparison.Ordinal));

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}

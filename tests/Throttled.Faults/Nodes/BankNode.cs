using Throttled.Faults.Processes;
using Throttled.Testing;

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

    /// <summary>Waits until a batch of the node is open, and keeps it open.</summary>
    internal async Task PauseAsync()
    {
        await _process.TellAsync(NodeProgram.Pause);
        await _process.UntilAsync("paused", 1);
    }

    /// <summary>Lets the node leave the cluster, and waits for its end.</summary>
    internal async Task LeaveAsync()
    {
        await _process.TellAsync(NodeProgram.Leave);
        await _process.EndedAsync("the end of a node that leaves");
        Assert.Equal(0, _process.ExitCode);
    }

    /// <summary>Asserts that no query of the node was wrong, and that it ended only if it had to.</summary>
    internal void Check() => Assert.DoesNotContain(_process.Lines, line => line.StartsWith("wrong", StringComparison.Ordinal));

    public ValueTask DisposeAsync() => _process.DisposeAsync();
}

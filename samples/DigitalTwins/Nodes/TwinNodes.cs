using DigitalTwins.Databases;
using DigitalTwins.Settings;
using Throttled.Testing;

namespace DigitalTwins.Nodes;

/// <summary>All nodes. They run until they are disposed; if one ends before, the run ends.</summary>
internal sealed class TwinNodes : IAsyncDisposable
{
    private readonly List<NodeProcess> _nodes = [];

    private TwinNodes()
    {
    }

    /// <summary>What all nodes have used so far.</summary>
    internal TimeSpan ProcessorTime => _nodes.Aggregate(TimeSpan.Zero, (all, node) => all + node.ProcessorTime);

    /// <summary>The nodes' last warnings and errors.</summary>
    internal IReadOnlyList<string> Warnings => [.. _nodes.SelectMany(node => node.Lines)];

    internal static TwinNodes Start(TwinsSettings settings, TwinDatabases databases, int seedPort)
    {
        var nodes = new TwinNodes();
        for (var node = 0; node < settings.Nodes; node++)
        {
            nodes._nodes.Add(NodeProcess.Start(new()
            {
                Name = $"node-{node + 1}",
                Port = LoopbackPort.Choose(),
                SeedPort = seedPort,
                Journals = databases.Journals,
                ReadModel = databases.ReadModel,
                Writers = settings.WritersOf(node),
                Batch = settings.Batch,
            }));
        }
        return nodes;
    }

    /// <summary>Runs the work. If a node ends meanwhile, the work is cancelled.</summary>
    /// <exception cref="Throttled.Tool.CommandLine.CommandException">A node ended.</exception>
    internal async Task<T> GuardAsync<T>(Func<CancellationToken, Task<T>> work, CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var (working, ended) = (work(stop.Token), _nodes.ConvertAll(node => node.Ended));
        var first = await Task.WhenAny([working, .. ended]);
        if (first == working || cancellation.IsCancellationRequested)
            return await working;
        await stop.CancelAsync();
        await ((Task)working).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        throw _nodes[ended.IndexOf(first)].Died();
    }

    public async ValueTask DisposeAsync() => await Task.WhenAll(_nodes.Select(node => node.DisposeAsync().AsTask()));
}

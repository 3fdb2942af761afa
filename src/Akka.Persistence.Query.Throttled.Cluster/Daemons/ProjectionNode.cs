using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Microsoft.Extensions.Logging;
using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Daemons;

/// <summary>
/// A projection on this node. It runs while the node has daemons: the first starts it, the last stops it, and all of them share it and its reader.
/// Thread-safe.
/// </summary>
internal sealed class ProjectionNode(string name, int daemons, Func<LaneOwnership, Projection> create, ILogger log)
{
    private readonly Lock _lock = new();
    private ProjectionRun? _run;
    private Task _stopped = Task.CompletedTask;
    private bool _isClosed;

    internal string Name => name;

    internal ILogger Log => log;

    /// <summary>Assigns the lanes of a daemon to this node.</summary>
    /// <returns>The run that has the lanes; null if the node is closed.</returns>
    internal ProjectionRun? Add(int daemon)
    {
        lock (_lock)
        {
            if (_isClosed)
                return null;
            _run = _run is { Completion.IsCompleted: false } ? _run : Start();
            _run.Daemons++;
            _run.Lanes.Add(PartOf(daemon));
            return _run;
        }
    }

    /// <summary>Takes the lanes of a daemon from this node. Completes when they were drained.</summary>
    internal Task DrainAsync(ProjectionRun run, int daemon) => run.Lanes.RemoveAsync(PartOf(daemon));

    /// <summary>The daemon has stopped, with or without a drain.</summary>
    internal void Leave(ProjectionRun run)
    {
        lock (_lock)
        {
            if (--run.Daemons == 0)
                Stop(run);
        }
    }

    /// <summary>Stops the projection; daemons that start later run nothing.</summary>
    internal Task CloseAsync()
    {
        lock (_lock)
        {
            _isClosed = true;
            if (_run is { } run)
                Stop(run);
            return _stopped;
        }
    }

    // A node of another version may have more daemons, while the cluster changes their number.
    private int PartOf(int daemon) => daemon % daemons;

    private ProjectionRun Start()
    {
        var run = new ProjectionRun(daemons, create, _stopped);
        run.Completion.ContinueWith(
            ended => log.ProjectionEnded(name, ended.Exception!.InnerException!.Message, ended.Exception.InnerException),
            CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return run;
    }

    private void Stop(ProjectionRun run)
    {
        if (_run == run)
            _run = null;
        _stopped = Task.WhenAll(_stopped, run.StopAsync());
    }
}

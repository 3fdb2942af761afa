using Akka.Actor;
using Akka.Event;
using Akka.Pattern;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;

namespace Akka.Persistence.Query.Throttled.Cluster.Daemons;

/// <summary>
/// One daemon of a projection: while it lives, this node has its lanes. It owns no lease itself. If the projection ends, it stops, and its supervisor
/// starts it again after a pause.
/// </summary>
internal sealed class LaneDaemon : ReceiveActor
{
    private static readonly TimeSpan MinPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxPause = TimeSpan.FromSeconds(30);

    private readonly ProjectionNode _node;
    private readonly int _daemon;
    private ProjectionRun? _run;
    private bool _isDraining;

    public LaneDaemon(ProjectionNode node, int daemon, TimeSpan drainTimeout)
    {
        (_node, _daemon) = (node, daemon);
        Receive<Drain>(_ => BeginDrain(drainTimeout));
        Receive<Ended>(_ => Context.Stop(Self));
        Receive<Status.Success>(static _ => { });
    }

    internal static Props Supervised(ProjectionNode node, int daemon, TimeSpan drainTimeout) => BackoffSupervisor.Props(
        Backoff.OnStop(Props.Create(() => new LaneDaemon(node, daemon, drainTimeout)), "lanes", MinPause, MaxPause, 0.2, maxNrOfRetries: -1)
            .WithAutoReset(MaxPause * 2)
            .WithDefaultStoppingStrategy()
            .WithFinalStopMessage(static message => message is Drain));

    protected override void PreStart()
    {
        _run = _node.Add(_daemon);
        // A projection that was stopped without an error was stopped with this node.
        _run?.Completion.PipeTo(Self, success: static () => Status.Success.Instance, failure: static error => new Ended(error));
    }

    protected override void PostStop()
    {
        if (_run is not { } run)
            return;
        if (!_isDraining)
            _ = _node.DrainAsync(run, _daemon);
        _node.Leave(run);
    }

    private void BeginDrain(TimeSpan timeout)
    {
        if (_isDraining)
            return;
        _isDraining = true;
        var drained = _run is { } run ? _node.DrainAsync(run, _daemon) : Task.CompletedTask;
        DrainAsync(drained, timeout).PipeTo(Self, success: static () => new Ended(null), failure: static error => new Ended(error));
    }

    private async Task DrainAsync(Task drained, TimeSpan timeout)
    {
        await drained.WaitAsync(timeout, TimeProvider.System).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!drained.IsCompleted)
            _node.Log.DrainTimedOut(_node.Name, _daemon, timeout.TotalSeconds);
    }

    /// <summary>The stop message of the daemon. It never leaves the node.</summary>
    internal sealed class Drain : INoSerializationVerificationNeeded
    {
        internal static readonly Drain Instance = new();

        private Drain()
        {
        }
    }

    private sealed record Ended(Exception? Error) : INoSerializationVerificationNeeded;
}

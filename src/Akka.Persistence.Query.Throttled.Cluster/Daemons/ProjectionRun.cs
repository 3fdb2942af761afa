using Throttled.Projections;

namespace Akka.Persistence.Query.Throttled.Cluster.Daemons;

/// <summary>One run of a projection on this node, for the daemons that share it.</summary>
internal sealed class ProjectionRun
{
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Starts when an earlier run has ended, because both may have the same process name.</summary>
    internal ProjectionRun(int parts, Func<LaneOwnership, Projection> create, Task before)
    {
        Lanes = new(parts);
        Completion = RunAsync(create, before);
    }

    internal AssignedLanes Lanes { get; }

    internal int Daemons { get; set; }

    /// <summary>Completes when it was stopped; fails if the projection cannot run here.</summary>
    internal Task Completion { get; }

    internal Task StopAsync()
    {
        _stop.TrySetResult();
        return Completion.ContinueWith(static _ => { }, TaskScheduler.Default);
    }

    private async Task RunAsync(Func<LaneOwnership, Projection> create, Task before)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        if (_stop.Task.IsCompleted)
            return;
        var projection = create(Lanes);
        await using (projection.ConfigureAwait(false))
        {
            projection.Start();
            var ended = await Task.WhenAny(projection.Completion, _stop.Task).ConfigureAwait(false);
            await ended.ConfigureAwait(false);
        }
    }
}

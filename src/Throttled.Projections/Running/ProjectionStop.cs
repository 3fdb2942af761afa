using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Running;

/// <summary>Stops a runner in steps, each with a timeout: an unavailable database must not keep a process from ending.</summary>
internal sealed class ProjectionStop(ProjectionContext context, ILogger log)
{
    /// <summary>For running batches to finish. Longer ones are rolled back, and their events come again.</summary>
    internal static readonly TimeSpan FinishTimeout = TimeSpan.FromSeconds(5);

    internal static readonly TimeSpan StepTimeout = TimeSpan.FromSeconds(3);

    private readonly TimeProvider _clock = context.Options.TimeProvider;

    internal async Task RunAsync(Task loop, Reconciler reconciler, CancellationTokenSource stopping, CancellationTokenSource abort)
    {
        // Also ends the current command, if the runner stops because of an error.
        stopping.Cancel();
        await BoundedAsync(loop, "a reconciliation").ConfigureAwait(false);
        var ended = Task.WhenAll(reconciler.CloseAsync(abort.Token), reconciler.Commands.EndAsync());
        if (!await HasEndedAsync(ended, FinishTimeout, abort.Token).ConfigureAwait(false))
            abort.Cancel();
        await BoundedAsync(ended, "its lanes").ConfigureAwait(false);
        if (!reconciler.HasTables)
            return;
        using var leaving = new CancellationTokenSource(StepTimeout, _clock);
        await BoundedAsync(context.Store.LeaveAsync(context.Options.Name, context.ProcessName, leaving.Token), "leaving").ConfigureAwait(false);
    }

    private async Task BoundedAsync(Task task, string what)
    {
        if (!await HasEndedAsync(task, StepTimeout, CancellationToken.None).ConfigureAwait(false))
            log.StopTimedOut(context.Options.Name, StepTimeout.TotalSeconds, what);
        else if (task.IsFaulted)
            log.StopFailed(context.Options.Name, what, task.Exception.InnerException!.Message, task.Exception.InnerException);
    }

    private async Task<bool> HasEndedAsync(Task task, TimeSpan timeout, CancellationToken abort)
    {
        await task.WaitAsync(timeout, _clock, abort).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompleted;
    }
}

using Microsoft.Extensions.Logging;
using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Running;

/// <summary>
/// Stops a runner in steps, none of which waits for ever: an unavailable database must not keep a process from ending. What is given up on is
/// rolled back by the database when the connection ends.
/// </summary>
internal sealed class ProjectionStop(ProjectionParts parts, ILogger log)
{
    /// <summary>For batches in hand to be finished; longer ones are rolled back, and come again.</summary>
    internal static readonly TimeSpan Finish = TimeSpan.FromSeconds(5);

    /// <summary>For anything else.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    private readonly TimeProvider _clock = parts.Options.TimeProvider;

    internal async Task RunAsync(Task loop, ProjectionRounds rounds, CancellationTokenSource stopping, CancellationTokenSource hurry)
    {
        // Ends the command in hand, too, where the runner stops because of a fault.
        stopping.Cancel();
        await BoundedAsync(loop, "a round").ConfigureAwait(false);
        var ended = Task.WhenAll(rounds.CloseAsync(hurry.Token), rounds.Commands.EndAsync());
        if (!await HasEndedAsync(ended, Finish, hurry.Token).ConfigureAwait(false))
            hurry.Cancel();
        await BoundedAsync(ended, "its lanes").ConfigureAwait(false);
        if (!rounds.HasTables)
            return;
        using var leaving = new CancellationTokenSource(Patience, _clock);
        await BoundedAsync(LeaveAsync(leaving.Token), "leaving").ConfigureAwait(false);
    }

    private Task LeaveAsync(CancellationToken cancellation) => parts.Store.LeaveAsync(parts.Options.Name, parts.Member, cancellation);

    private async Task BoundedAsync(Task task, string what)
    {
        if (!await HasEndedAsync(task, Patience, CancellationToken.None).ConfigureAwait(false))
            log.StopGivenUp(parts.Options.Name, Patience.TotalSeconds, what);
        else if (task.IsFaulted)
            log.StopFailed(parts.Options.Name, what, task.Exception.InnerException!.Message, task.Exception.InnerException);
    }

    private async Task<bool> HasEndedAsync(Task task, TimeSpan most, CancellationToken hurry)
    {
        await task.WaitAsync(most, _clock, hurry).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompleted;
    }
}

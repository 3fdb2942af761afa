using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>What a runner knows of how its projection does, without asking a database.</summary>
internal static class RunnerHealth
{
    internal static ProjectionHealth Of(ProjectionRunner runner, ProjectionOptions options, bool hasStarted)
    {
        var live = runner.Live;
        var reports = live is not null && runner.Reports.TryGetValue(live.Target, out var lanes) ? lanes : [];
        var running = reports.Where(lane => lane.State != LaneState.Idle).ToList();
        var away = Away(runner, options);
        return new()
        {
            Lease = options.LeaseDuration,
            HasStarted = hasStarted,
            Ended = Ended(runner.Completion),
            HandlerFault = runner.HandlerFault,
            FailedLanes = [.. running.Where(lane => lane.State == LaneState.Failed).Select(Text)],
            Away = away?.Text,
            AwayFor = away?.Lasts ?? TimeSpan.Zero,
            // A lane that waits for an unavailable database adds nothing.
            Retrying = away is null ? First(LaneState.Retrying) : null,
            Slow = First(LaneState.Running),
            IsPaused = live?.IsPaused == true,
            Lanes = running.Count(lane => lane.State == LaneState.Running),
            Position = runner.Progress.PositionOf(running),
            Head = live is null ? 0 : runner.Progress.HeadOf(running, live),
            Handled = live?.Handled ?? default,
            DeadLetters = running.Sum(lane => lane.DeadLetters),
        };

        string? First(LaneState state) => running.Where(lane => lane.State == state && lane.Error is not null).Select(Text).FirstOrDefault();
    }

    // Report what has been unavailable for longest.
    private static (string Text, TimeSpan Lasts)? Away(ProjectionRunner runner, ProjectionOptions options)
    {
        List<(string Text, TimeSpan Lasts)> away = [];
        if (runner.StoreAway is { } reason)
            away.Add(($"the read model: {reason}", options.TimeProvider.GetElapsedTime(runner.StoreAwaySince)));
        if (runner.JournalOutage is { } journal)
            away.Add(($"the journal: {journal.Reason}", journal.Lasts));
        return away.Count == 0 ? null : away.MaxBy(each => each.Lasts);
    }

    private static string? Ended(Task completion) =>
        (completion.Exception?.InnerException is { } reason ? ErrorText.Of(reason) : null) ?? (completion.IsCompleted ? "it was stopped" : null);

    private static string Text(LaneReport lane) => FormattableString.Invariant($"lane {lane.Lane}: {lane.Error}");
}

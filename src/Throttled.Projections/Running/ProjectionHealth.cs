using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>The health of a projection in this process, known without a query to a database.</summary>
internal sealed record ProjectionHealth
{
    internal bool HasStarted { get; init; } = true;

    /// <summary>Why it no longer runs, as in <c>it was stopped</c>; null while it runs.</summary>
    internal string? Ended { get; init; }

    /// <summary>Why the handler cannot create its read model, as a sentence; null if it can, or was not called.</summary>
    internal string? HandlerFault { get; init; }

    /// <summary>Why lanes of this process have failed, one text for each, as in <c>lane 3: event 7 of 'a' …</c>.</summary>
    internal IReadOnlyList<string> FailedLanes { get; init; } = [];

    internal string? Unavailable { get; init; }

    internal TimeSpan UnavailableFor { get; init; }

    /// <summary>The tolerated time: after <see cref="ProjectionOptions.LeaseDuration"/>, other processes take over the lanes.</summary>
    internal required TimeSpan Lease { get; init; }

    /// <summary>What failed and is tried again; null if nothing is.</summary>
    internal string? Retrying { get; init; }

    /// <summary>A running lane whose batch takes long, as in <c>lane 3: one batch has taken 2 min so far</c>; null if there is none.</summary>
    internal string? Slow { get; init; }

    internal bool IsPaused { get; init; }

    internal int Lanes { get; init; }

    /// <summary>The ordering up to which the lanes of this process have handled the live read model's events; 0 if it is not known.</summary>
    internal long Offset { get; init; }

    /// <summary>The last seen end of the journal; 0 if it was not seen.</summary>
    internal long JournalEnd { get; init; }

    internal long Lag => Math.Max(0, JournalEnd - Offset);

    /// <summary>Whether lanes run in this process. Otherwise the offset and the lag are not known here.</summary>
    internal bool HasLanes { get; init; } = true;

    /// <summary>Time since the journal end first passed the offset, as this process saw it; 0 if the projection has caught up.</summary>
    internal TimeSpan LagTime { get; init; }

    /// <summary>How long the projection has been behind at the same offset; 0 if it has caught up.</summary>
    internal TimeSpan SameLagFor { get; init; }

    /// <summary>The events of the live read model that all processes have handled, and how many of them the handler did nothing with.</summary>
    internal HandledEvents Handled { get; init; }

    /// <summary>The dead letters of this process's lanes of the live read model, including the events that queue behind them.</summary>
    internal int DeadLetters { get; init; }
}

internal static class RunnerHealth
{
    internal static ProjectionHealth Of(ProjectionRunner runner, ProjectionOptions options, bool hasStarted)
    {
        var live = runner.Live;
        var reports = live is not null && runner.Reports.TryGetValue(live.Version, out var lanes) ? lanes : [];
        var running = reports.Where(lane => lane.State != LaneState.Idle).ToList();
        var away = Unavailable(runner, options);
        return new()
        {
            Lease = options.LeaseDuration,
            HasStarted = hasStarted,
            Ended = Ended(runner.Completion),
            HandlerFault = runner.HandlerFault,
            FailedLanes = [.. running.Where(lane => lane.State == LaneState.Failed).Select(Text)],
            Unavailable = away?.Text,
            UnavailableFor = away?.Lasts ?? TimeSpan.Zero,
            // A lane that waits for an unavailable database adds no information.
            Retrying = away is null ? First(LaneState.Retrying) : null,
            Slow = First(LaneState.Running),
            IsPaused = live?.IsPaused == true,
            Lanes = running.Count(lane => lane.State == LaneState.Running),
            Offset = runner.Progress.OffsetOf(running),
            JournalEnd = live is null ? 0 : runner.Progress.JournalEndOf(running, live),
            HasLanes = running.Count > 0,
            LagTime = runner.LiveLag?.Time ?? TimeSpan.Zero,
            SameLagFor = runner.LiveLag?.SameFor ?? TimeSpan.Zero,
            Handled = live?.Handled ?? default,
            DeadLetters = running.Sum(lane => lane.DeadLetters),
        };

        string? First(LaneState state) => running.Where(lane => lane.State == state && lane.Error is not null).Select(Text).FirstOrDefault();
    }

    // Reports what has been unavailable for the longest time.
    private static (string Text, TimeSpan Lasts)? Unavailable(ProjectionRunner runner, ProjectionOptions options)
    {
        List<(string Text, TimeSpan Lasts)> away = [];
        if (runner.StoreUnavailable is { } reason)
            away.Add(($"the read model: {reason}", options.TimeProvider.GetElapsedTime(runner.StoreUnavailableSince)));
        if (runner.JournalUnavailable is { } journal)
            away.Add(($"the journal: {journal.Reason}", journal.Lasts));
        return away.Count == 0 ? null : away.MaxBy(each => each.Lasts);
    }

    private static string? Ended(Task completion) =>
        (completion.Exception?.InnerException is { } reason ? ErrorText.Of(reason) : null) ?? (completion.IsCompleted ? "it was stopped" : null);

    private static string Text(LaneReport lane) => FormattableString.Invariant($"lane {lane.Lane}: {lane.Error}");
}

using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>How a projection does in this process, as it is known without asking a database.</summary>
internal sealed record ProjectionHealth
{
    /// <summary>Whether it was told to run.</summary>
    internal bool HasStarted { get; init; } = true;

    /// <summary>Why it does not run any more, as in <c>it was stopped</c>; null while it runs.</summary>
    internal string? Ended { get; init; }

    /// <summary>Why the handler cannot make its read model, as a sentence; null where it can, or was not asked.</summary>
    internal string? HandlerFault { get; init; }

    /// <summary>Why lanes of this process have failed, one text for each, as in <c>lane 3: event 7 of 'a' …</c>.</summary>
    internal IReadOnlyList<string> FailedLanes { get; init; } = [];

    /// <summary>What cannot be reached and why, as in <c>the read model: connection refused</c>; null where all can.</summary>
    internal string? Unavailable { get; init; }

    /// <summary>How long that has not been reached.</summary>
    internal TimeSpan UnavailableFor { get; init; }

    /// <summary>For how long that may be: after <see cref="ProjectionOptions.LeaseDuration"/>, others take the lanes over.</summary>
    internal required TimeSpan Lease { get; init; }

    /// <summary>What failed and is tried again; null where nothing is.</summary>
    internal string? Retrying { get; init; }

    /// <summary>A lane that runs, and whose batch takes long, as in <c>lane 3: a batch has been in hand for 2 min</c>; null where there is none.</summary>
    internal string? Slow { get; init; }

    /// <summary>Whether the live read model is paused by a command.</summary>
    internal bool IsPaused { get; init; }

    /// <summary>The lanes that run in this process.</summary>
    internal int Lanes { get; init; }

    /// <summary>Up to which ordering the lanes of this process have handled the live read model's events; 0 where it is not known.</summary>
    internal long Offset { get; init; }

    /// <summary>The end of the journal as it was seen last; 0 where it was not.</summary>
    internal long JournalEnd { get; init; }

    /// <summary>The orderings between: at least as many as the events, because some are given to none.</summary>
    internal long Lag => Math.Max(0, JournalEnd - Offset);

    /// <summary>How many events of the live read model were handled by all processes, and how many of them the handler had nothing to do with.</summary>
    internal HandledEvents Handled { get; init; }

    /// <summary>The dead letters of the live read model that the lanes of this process keep, with the events that queue behind them.</summary>
    internal int DeadLetters { get; init; }
}

/// <summary>What a runner knows of how its projection does, without asking a database.</summary>
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
            // A lane that waits for an unavailable database adds nothing.
            Retrying = away is null ? First(LaneState.Retrying) : null,
            Slow = First(LaneState.Running),
            IsPaused = live?.IsPaused == true,
            Lanes = running.Count(lane => lane.State == LaneState.Running),
            Offset = runner.Progress.OffsetOf(running),
            JournalEnd = live is null ? 0 : runner.Progress.JournalEndOf(running, live),
            Handled = live?.Handled ?? default,
            DeadLetters = running.Sum(lane => lane.DeadLetters),
        };

        string? First(LaneState state) => running.Where(lane => lane.State == state && lane.Error is not null).Select(Text).FirstOrDefault();
    }

    // Report what has been unavailable for longest.
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

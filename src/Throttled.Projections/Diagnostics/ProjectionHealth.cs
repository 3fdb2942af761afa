using Throttled.Projections.Store;

namespace Throttled.Projections.Diagnostics;

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
    internal string? Away { get; init; }

    /// <summary>How long that has not been reached.</summary>
    internal TimeSpan AwayFor { get; init; }

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
    internal long Position { get; init; }

    /// <summary>The end of the journal as it was seen last; 0 where it was not.</summary>
    internal long Head { get; init; }

    /// <summary>The orderings between: at least as many as the events, because some are given to none.</summary>
    internal long Lag => Math.Max(0, Head - Position);

    /// <summary>How many events of the live read model were handled by all processes, and how many of them the handler had nothing to do with.</summary>
    internal HandledEvents Handled { get; init; }

    /// <summary>The dead letters of the live read model that the lanes of this process keep, with the events that queue behind them.</summary>
    internal int DeadLetters { get; init; }
}

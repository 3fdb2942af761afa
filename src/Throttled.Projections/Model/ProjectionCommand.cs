namespace Throttled.Projections;

/// <summary>A command that was given to a projection, and its result. Commands are kept for seven days after their end.</summary>
public sealed record ProjectionCommand
{
    internal ProjectionCommand()
    {
    }

    /// <summary>Its number. Later commands have higher numbers.</summary>
    public required long Id { get; init; }

    /// <summary>
    /// What it does: the name of the method of <see cref="ProjectionControl"/>, without <c>Async</c>. A forced swap is <c>ForcedSwap</c>. A retry of all
    /// dead letters is one <c>Retry</c> for each persistence id, and a discard of all one <c>Discard</c>.
    /// </summary>
    public required string Verb { get; init; }

    /// <summary>The version of the read model; for a rebuild, the new version.</summary>
    public required string Version { get; init; }

    /// <summary>The persistence id of the dead letters that are retried or discarded; null for other commands.</summary>
    public required string? PersistenceId { get; init; }

    /// <summary>The sequence number of the dead letter; null for all dead letters of the persistence id, and for other commands.</summary>
    public required long? SequenceNumber { get; init; }

    /// <summary>Whether it waits, or how it ended.</summary>
    public required CommandState State { get; init; }

    /// <summary>What was done, or why it was refused, as text for people; null while it waits.</summary>
    public required string? Result { get; init; }

    /// <summary>When it was given, by the read model database's clock, in UTC; 1970 if a row that was inserted by hand has no valid time.</summary>
    public required DateTimeOffset GivenAt { get; init; }

    /// <summary>When it ended, by the same clock; null while it waits.</summary>
    public required DateTimeOffset? EndedAt { get; init; }

    /// <summary>Who gave it; null if the caller did not say.</summary>
    public required CommandOrigin? Origin { get; init; }
}

/// <summary>Who gives a command to a projection, and why. The tables keep it with the command, so that others can see it later.</summary>
/// <param name="User">The person or the program that gives the command, such as a login name.</param>
/// <param name="Host">The machine, such as <see cref="Environment.MachineName"/>; null if not given.</param>
/// <param name="Reason">Why, as text for people; null if not given.</param>
public sealed record CommandOrigin(string User, string? Host = null, string? Reason = null);

/// <summary>Whether a command waits, or how it ended.</summary>
// Stored by name.
public enum CommandState
{
    /// <summary>A process that runs the projection will execute it.</summary>
    Waiting = 0,

    /// <summary>It was executed.</summary>
    Done = 1,

    /// <summary>It was not executed.</summary>
    Refused = 2,

    /// <summary>It was withdrawn before it was executed.</summary>
    Withdrawn = 3,
}

/// <summary>A call was cancelled while it waited. Its command is stored; the message says what happens to it.</summary>
internal sealed class StoredCommandException(string message, OperationCanceledException error) : OperationCanceledException(message, error, error.CancellationToken);

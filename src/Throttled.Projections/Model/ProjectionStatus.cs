namespace Throttled.Projections;

/// <summary>
/// The state of one read model of a projection, as its processes last reported it. The view <c>throttled_projection_status</c> shows the same to any
/// SQL client.
/// </summary>
public sealed record ProjectionStatus
{
    internal ProjectionStatus()
    {
    }

    /// <summary>The projection's name.</summary>
    public required string Name { get; init; }

    /// <summary>The read model: the projection's name, or the name that a rebuild was given.</summary>
    public required string Version { get; init; }

    /// <summary>Whether the read model is live, being built or retired.</summary>
    public required VersionRole Role { get; init; }

    /// <summary>Which events are handled, in the format of <see cref="ProjectionSource.ToString"/>.</summary>
    public required string Source { get; init; }

    /// <summary>
    /// Where the read model begins: events at or below this ordering were not handled. <c>0</c> if it begins with the first event. For a sharded journal,
    /// an ordering for each shard in the format of <see cref="ShardedPosition.Parse"/>, unless they are all 0.
    /// </summary>
    public required string StartOffset { get; init; }

    /// <summary>Whether a command has paused it.</summary>
    public required bool IsPaused { get; init; }

    /// <summary>
    /// All events at or below this ordering are handled or stored as dead letters. It is the ordering of the lane that is furthest behind. For a
    /// sharded journal it is the sum of <see cref="Offsets"/>, which measures progress but is not an offset.
    /// </summary>
    public required long Offset { get; init; }

    /// <summary>
    /// The offset up to which all events of a sharded journal are handled or stored as dead letters. For each shard it has the ordering of the lane
    /// that is furthest behind, and 0 if the source has no slices of the shard. Null if the journal is not sharded.
    /// </summary>
    public required ShardedPosition? Offsets { get; init; }

    /// <summary>
    /// The last seen end of the journal, as an ordering; null if it was never seen. For a sharded journal it is the sum of <see cref="JournalEnds"/>.
    /// </summary>
    public required long? JournalEnd { get; init; }

    /// <summary>The last seen end of each shard. Null until the ends of all shards were seen, and if the journal is not sharded.</summary>
    public required ShardedPosition? JournalEnds { get; init; }

    /// <summary>
    /// When the end of the journal was last seen, by the read model database's clock, in UTC; null if it was never seen. For a sharded journal it is
    /// the oldest of the shards' times.
    /// </summary>
    public required DateTimeOffset? JournalEndSeenAt { get; init; }

    /// <summary>
    /// The maximum number of events that are still to be handled. The real number may be lower, because orderings have gaps and a projection may
    /// handle only some of the events. 0 if the projection has caught up. Null if the end of the journal was not seen for 15 s: no process runs the
    /// projection, or the journal or one of its shards is unavailable.
    /// </summary>
    public required long? LagEvents { get; init; }

    /// <summary>
    /// The age of the event at <see cref="Offset"/>. If the projection has no event there, the time since it had caught up. 0 if the projection has
    /// caught up. Null if it is not known: at the start, after a reset, and until the end of the journal was seen. For a sharded journal it is the
    /// longest of the shards' lags.
    /// </summary>
    public required TimeSpan? Lag { get; init; }

    /// <summary>Events per second that all lanes together handled recently.</summary>
    public required double EventsPerSecond { get; init; }

    /// <summary>
    /// The estimated time to handle <see cref="LagEvents"/> at <see cref="EventsPerSecond"/>. For a source by tag, by slices or with filters, the
    /// estimate assumes the same share of events as since the start or the last reset. 0 if the projection has caught up. Null if it is stopped or the end of the journal was not seen.
    /// </summary>
    public required TimeSpan? TimeLeft { get; init; }

    /// <summary>The number of events that were handled since the start or the last reset, including dead letters.</summary>
    public required long Events { get; init; }

    /// <summary>
    /// How many of <see cref="Events"/> the handler did nothing with. An event counts if the handler passed it to
    /// <see cref="ProjectionBatch.Unhandled"/>, if the fold asked for no key, or if the handler wrote nothing for the whole batch. If all events are
    /// unhandled, the decoder or the handler is wrong. Events that the decoder skips are not counted.
    /// </summary>
    public required long UnhandledEvents { get; init; }

    /// <summary>The number of dead letters, including the events that queue behind them.</summary>
    public required long DeadLetters { get; init; }

    /// <summary>The number of commands that wait to be executed.</summary>
    public required long WaitingCommands { get; init; }

    /// <summary>The lanes, lowest first.</summary>
    public required IReadOnlyList<LaneStatus> Lanes { get; init; }
}

/// <summary>The state of a lane.</summary>
/// <param name="Lane">Its number, from 0.</param>
/// <param name="FirstSlice">The first of its slices.</param>
/// <param name="LastSlice">The last of its slices, included.</param>
/// <param name="Owner">The <see cref="ProjectionOptions.ProcessName"/> of the process that runs it; null if no process runs it.</param>
/// <param name="State">What the lane does; <see cref="LaneState.Idle"/> if no process runs it.</param>
/// <param name="Error">Why the lane does not run, what is tried again, or that a batch takes long; null if none of these is the case.</param>
/// <param name="EventsPerSecond">Events per second that it handled recently; 0 if no process runs it.</param>
public sealed record LaneStatus(
    int Lane, int FirstSlice, int LastSlice, string? Owner, LaneState State, string? Error, double EventsPerSecond);

/// <summary>What a lane does.</summary>
// Stored by name.
public enum LaneState
{
    /// <summary>No process runs it, or it is about to run.</summary>
    Idle = 0,

    /// <summary>It handles events.</summary>
    Running = 1,

    /// <summary>An attempt failed and is repeated.</summary>
    Retrying = 2,

    /// <summary>It stopped at an event, or because of an error that waiting does not cure. After a resume, or in another process, it tries again.</summary>
    Failed = 3,
}

/// <summary>The role of a read model in its projection.</summary>
// Stored by name.
public enum VersionRole
{
    /// <summary>The one that readers use.</summary>
    Live = 0,

    /// <summary>Being rebuilt beside the live one.</summary>
    Building = 1,

    /// <summary>Was live, and is no longer written.</summary>
    Retired = 2,
}

/// <summary>What the owner of a lane reports. <c>Error</c> says why the lane does not run, or that a batch takes long.</summary>
internal sealed record LaneReport(int Lane, LaneState State, string? Error, double EventsPerSecond)
{
    /// <summary>Up to here its events are handled. It may be above the stored offset. 0 if it is not known yet.</summary>
    internal long Offset { get; init; }

    /// <summary>The number of resumes of the version when a pause stopped the lane; null while it runs. Each pause is between two resumes.</summary>
    internal long? StoppedAfterResumes { get; init; }

    internal SliceRange Slices { get; init; }

    internal int DeadLetters { get; init; }

    /// <summary>Bytes of events that the lane has received and not handled.</summary>
    internal long Buffered { get; init; }
}

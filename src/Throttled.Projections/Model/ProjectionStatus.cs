using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>
/// How a read model of a projection does, as its processes reported lately. The view <c>throttled_projection_status</c> shows the same to any SQL
/// client.
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

    /// <summary>Whether it is the one that is read.</summary>
    public required VersionRole Role { get; init; }

    /// <summary>Which events are handled, as <see cref="ProjectionSource.ToString"/> says it.</summary>
    public required string Source { get; init; }

    /// <summary>Whether it is paused by a command.</summary>
    public required bool IsPaused { get; init; }

    /// <summary>
    /// All events at or below this ordering are handled or stored as dead letters; that of the lane that is furthest behind. Of a sharded journal, those of
    /// <see cref="Offsets"/> added up: a measure, and no place.
    /// </summary>
    public required long Offset { get; init; }

    /// <summary>
    /// The place up to which all events of a sharded journal are handled or stored as dead letters: for each shard the ordering of its lane that is furthest behind, and 0
    /// where the source has none of it. Null where the journal is not sharded.
    /// </summary>
    public required ShardedPosition? Offsets { get; init; }

    /// <summary>
    /// The end of the journal as it was seen last, as an ordering; null until it was seen. Of a sharded journal, those of <see cref="JournalEnds"/> added up.
    /// </summary>
    public required long? JournalEnd { get; init; }

    /// <summary>The end of each shard as it was seen last; null until all were seen, and where the journal is not sharded.</summary>
    public required ShardedPosition? JournalEnds { get; init; }

    /// <summary>
    /// When the end of the journal was seen last, by the read model database's clock, in UTC; null until it was seen. Of a sharded journal, that of the shard
    /// that was not seen for the longest time.
    /// </summary>
    public required DateTimeOffset? JournalEndSeenAt { get; init; }

    /// <summary>
    /// How many events there are to handle at most, because orderings have gaps and a projection may handle only some of the events; 0 when it has caught up,
    /// null where the end of the journal was not seen for 15 s: nobody runs it, or the journal is unavailable, even one shard of it.
    /// </summary>
    public required long? LagEvents { get; init; }

    /// <summary>
    /// How long ago the event at <see cref="Offset"/> was persisted, or where it has no event of the projection how long ago it had caught up; 0 when the projection has caught up, null where it is not known: at the start, after
    /// a reset, and until the end of the journal was seen. Of a sharded journal, that of the shard where it is the longest.
    /// </summary>
    public required TimeSpan? Lag { get; init; }

    /// <summary>Handled of late by all lanes.</summary>
    public required double EventsPerSecond { get; init; }

    /// <summary>
    /// How long <see cref="LagEvents"/> take at <see cref="EventsPerSecond"/>, where of those by tag or by slices as large a share is to be handled as of those
    /// before; 0 when the projection has caught up, null where it is stopped or the end
    /// of the journal was not seen.
    /// </summary>
    public required TimeSpan? TimeLeft { get; init; }

    /// <summary>How many events were handled since the start or the last reset, dead letters included.</summary>
    public required long Events { get; init; }

    /// <summary>
    /// How many of <see cref="Events"/> the handler had nothing to do with: it said so by <see cref="ProjectionBatch.Unhandled"/>, its fold asked for no key,
    /// or it wrote nothing at all for a whole batch. Where it is all of them, the decoder or the handler is not the right one. What the decoder passes over is
    /// not counted.
    /// </summary>
    public required long UnhandledEvents { get; init; }

    /// <summary>How many dead letters are kept, with those that queue behind them.</summary>
    public required long DeadLetters { get; init; }

    /// <summary>How many commands wait to be executed.</summary>
    public required long WaitingCommands { get; init; }

    /// <summary>The lanes, lowest first.</summary>
    public required IReadOnlyList<LaneStatus> Lanes { get; init; }
}

/// <summary>How a lane does.</summary>
/// <param name="Lane">Its number, from 0.</param>
/// <param name="FirstSlice">The first of its slices.</param>
/// <param name="LastSlice">The last of its slices, included.</param>
/// <param name="Owner">The process that runs it, as <see cref="ProjectionOptions.ProcessName"/> says; null where none does.</param>
/// <param name="State">How it does; <see cref="LaneState.Idle"/> where no process runs it.</param>
/// <param name="Error">Why it does not run, or what is tried again, or that a batch takes long; null where nothing of it is so.</param>
/// <param name="EventsPerSecond">Handled of late; 0 where no process runs it.</param>
public sealed record LaneStatus(
    int Lane, int FirstSlice, int LastSlice, string? Owner, LaneState State, string? Error, double EventsPerSecond);

/// <summary>How a lane does.</summary>
// Stored by name.
public enum LaneState
{
    /// <summary>Nobody runs it, or it is about to run.</summary>
    Idle = 0,

    /// <summary>It handles events.</summary>
    Running = 1,

    /// <summary>Something fails, and is tried again.</summary>
    Retrying = 2,

    /// <summary>It stopped at an event, or at something that waiting does not cure. Resuming, or another process, tries it again.</summary>
    Failed = 3,
}

/// <summary>What a read model is to its projection.</summary>
// Stored by name.
public enum VersionRole
{
    /// <summary>The one that is read.</summary>
    Live = 0,

    /// <summary>Being rebuilt beside the live one.</summary>
    Building = 1,

    /// <summary>Was live, and is not written any more.</summary>
    Retired = 2,
}

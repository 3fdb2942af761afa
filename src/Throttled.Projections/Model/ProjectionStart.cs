namespace Throttled.Projections;

/// <summary>Where the first read model of a projection begins.</summary>
public sealed record ProjectionStart
{
    private ProjectionStart()
    {
    }

    /// <summary>With the first event of the journal.</summary>
    public static ProjectionStart FirstEvent { get; } = After(0);

    /// <summary>
    /// At the journal's end when the read model is created. Every event that commits after that is handled, also if its ordering is lower because its
    /// transaction took long. If transactions are open at that time, some events may be handled that committed just before.
    /// </summary>
    public static ProjectionStart Now { get; } = new();

    internal bool IsFirstEvent => Ordering == 0;

    internal long? Ordering { get; private init; }

    internal ShardedPosition? Offset { get; private init; }

    /// <summary>In UTC ticks.</summary>
    internal long? Time { get; private init; }

    /// <summary>
    /// With the first event that was persisted at a time or later, by the journal's timestamps. It is searched in each shard. If there is none yet, it
    /// is the same as <see cref="Now"/>, and the time is not waited for.
    /// </summary>
    /// <param name="time">The time. If the clocks of the writers differ, some events from shortly before may be handled, or some from shortly after may not.</param>
    public static ProjectionStart At(DateTimeOffset time) => new() { Time = time.UtcTicks };

    /// <summary>After an ordering: events at or below it are not handled. For a sharded journal, only 0 is possible: use a <see cref="ShardedPosition"/>.</summary>
    /// <param name="ordering">From 0, the first event, to the journal's end.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public static ProjectionStart After(long ordering)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(ordering);
        return new() { Ordering = ordering };
    }

    /// <summary>After an offset in a sharded journal, such as <see cref="ProjectionStatus.Offsets"/> of another projection.</summary>
    /// <param name="offset">An ordering for each shard. For all shards at the same ordering, use <see cref="ShardedPosition.At"/>.</param>
    public static ProjectionStart After(ShardedPosition offset)
    {
        ArgumentNullException.ThrowIfNull(offset);
        return new() { Offset = offset };
    }

    /// <summary>The start as text for people: <c>the first event</c>, <c>now</c>, <c>after 1042</c>.</summary>
    public override string ToString() =>
        IsFirstEvent ? "the first event"
        : Ordering is { } ordering ? FormattableString.Invariant($"after {ordering}")
        : Offset is not null ? $"after {Offset}"
        : Time is { } ticks ? FormattableString.Invariant($"at {new DateTime(ticks, DateTimeKind.Utc):O}")
        : "now";
}

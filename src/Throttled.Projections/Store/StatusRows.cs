using System.Data.Common;
using Throttled.Journal;

namespace Throttled.Projections.Store;

/// <summary>The status of a projection, as its view and its lanes have it.</summary>
internal static class StatusRows
{
    internal static async Task<IReadOnlyList<ProjectionStatus>> ReadAsync(
        StoreTransaction transaction, string name, CancellationToken cancellation)
    {
        var lanes = await LanesAsync(transaction, name, cancellation).ConfigureAwait(false);
        return await transaction.ReadAsync(
            $"""
            SELECT projection, version, role, source, paused, current_offset, journal_end, journal_end_seen_at, lag_events, lag_seconds, events_per_second, seconds_left,
                events, dead_letters, commands_waiting, current_offsets, journal_ends, unhandled
            FROM {StoreTables.Status} WHERE projection = @projection ORDER BY version
            """,
            row => Row(row, lanes), cancellation, ("projection", name)).ConfigureAwait(false);
    }

    private static async Task<ILookup<string, LaneStatus>> LanesAsync(StoreTransaction transaction, string name, CancellationToken cancellation)
    {
        var claimed = $"CASE WHEN l.lease_until > {transaction.Spelling.Now} THEN";
        var lanes = await transaction.ReadAsync(
            $"""
            SELECT l.version, l.lane, l.first_slice, l.last_slice, {claimed} l.owner END,
                {claimed} l.state ELSE '{nameof(LaneState.Idle)}' END, {claimed} l.error END, {claimed} l.events_per_second ELSE 0 END
            FROM {StoreTables.Lane} AS l JOIN {StoreTables.Projection} AS p ON p.version = l.version
            WHERE p.projection = @projection ORDER BY l.version, l.lane
            """,
            row => (Target: row.GetString(0), Lane: Lane(row)), cancellation, ("projection", name)).ConfigureAwait(false);
        return lanes.ToLookup(lane => lane.Target, lane => lane.Lane);
    }

    private static LaneStatus Lane(DbDataReader row) => new(
        row.GetInt32(1), row.GetInt32(2), row.GetInt32(3), row.TextOrNull(4), Enum.Parse<LaneState>(row.GetString(5)), row.TextOrNull(6),
        row.GetDouble(7));

    private static ProjectionStatus Row(DbDataReader row, ILookup<string, LaneStatus> lanes) => new()
    {
        Name = row.GetString(0),
        Target = row.GetString(1),
        Role = Enum.Parse<TargetRole>(row.GetString(2)),
        Source = row.GetString(3),
        IsPaused = row.GetBoolean(4),
        Position = row.LongOrNull(5) ?? 0,
        Head = row.IsDBNull(7) ? null : row.GetInt64(6),
        HeadSeenAt = row.TimeOrNull(7),
        LagEvents = row.LongOrNull(8),
        Lag = Seconds(row.DoubleOrNull(9)),
        EventsPerSecond = row.GetDouble(10),
        TimeLeft = Seconds(row.DoubleOrNull(11)),
        Events = row.GetInt64(12),
        DeadLetters = row.GetInt64(13),
        WaitingCommands = row.GetInt64(14),
        Positions = Place(row.TextOrNull(15)),
        Heads = row.IsDBNull(7) ? null : Place(row.TextOrNull(16)),
        UnhandledEvents = row.GetInt64(17),
        Lanes = [.. lanes[row.GetString(1)]],
    };

    private static ShardedPosition? Place(string? text) => text is null ? null : ShardedPosition.Parse(text);

    // What crawls may have longer to go than a TimeSpan can say.
    private static TimeSpan? Seconds(double? seconds) => seconds is { } value
        ? value < TimeSpan.MaxValue.TotalSeconds ? TimeSpan.FromSeconds(value) : TimeSpan.MaxValue
        : null;
}

using System.Data.Common;
using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

internal static class StatusView
{
    /// <summary>If the journal's end was last seen longer ago, no process runs the projection and its lag is unknown.</summary>
    internal static readonly TimeSpan JournalEndIsOld = TimeSpan.FromSeconds(15);

    // Ticks at 1970; timestamps are UTC ticks of 100 ns since year 1.
    private const string UnixTicks = "621355968000000000";

    // The shard number of a journal that is not sharded.
    private const string Whole = "-1";

    /// <summary>
    /// What a lane's owner reports is valid as long as its lease. The lag in events is a difference of orderings, which have gaps. It is unknown if the
    /// journal's end was not seen lately. Over several shards, events are added up, and the lag in time is the longest.
    /// </summary>
    internal static string Select(ReadModelDialect dialect)
    {
        var claimed = dialect.Holds("l.lease_until");
        var since = dialect.Greatest($"{dialect.Epoch} - (s.timestamp - {UnixTicks}) / 10000000.0", "0.0");
        var unseen = $"s.journal_end_seen_at IS NULL OR s.journal_end_seen_at < {dialect.Later(FormattableString.Invariant($"-{JournalEndIsOld.TotalSeconds:0}"))}";
        // With a tag, slices or filters, only a share of the remaining orderings is handled. The estimate is the share so far.
        const string passed = "(s.current_offset - s.counted_from)";
        const string share = $"CASE WHEN s.source <> 'all' AND s.events > 0 AND s.events < {passed} THEN s.events * 1.0 / {passed} ELSE 1.0 END";
        return
            $"""
            WITH {Shards(dialect, claimed)}, {Journals(dialect)}
            SELECT s.projection, s.version, s.role, s.source, s.paused, s.lanes, s.lanes_running, s.lanes_failed, s.current_offset, s.journal_end, s.journal_end_seen_at,
                CASE WHEN {unseen} THEN NULL ELSE s.lag END AS lag_events,
                CASE WHEN {unseen} THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.timestamp = 0 THEN NULL
                    ELSE {since} END AS lag_seconds,
                s.events_per_second,
                CASE WHEN {unseen} THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.events_per_second > 0
                    THEN s.lag * ({share}) / s.events_per_second END AS seconds_left,
                s.events, s.dead_letters, s.commands_waiting, s.current_offsets, s.journal_ends, s.unhandled, s.start_offset
            FROM (
                SELECT p.projection, p.version, p.role, p.source, p.paused, p.lanes, coalesce(p.start_offset, '0') AS start_offset, coalesce(p.counted_from, 0) AS counted_from, j.journal_end, j.journal_end_seen_at, j.current_offset, j.lag, j.timestamp, j.current_offsets, j.journal_ends,
                    (SELECT coalesce(CAST(sum(o.events) AS bigint), 0) FROM {Schema.Offset} AS o WHERE o.version = p.version) AS events,
                    (SELECT coalesce(CAST(sum(o.unhandled) AS bigint), 0) FROM {Schema.Offset} AS o WHERE o.version = p.version) AS unhandled,
                    (SELECT {dialect.Count} FROM {Schema.Lane} AS l WHERE l.version = p.version AND {claimed}
                        AND l.state IN ('{nameof(LaneState.Running)}', '{nameof(LaneState.Retrying)}')) AS lanes_running,
                    (SELECT {dialect.Count} FROM {Schema.Lane} AS l WHERE l.version = p.version AND {claimed}
                        AND l.state = '{nameof(LaneState.Failed)}') AS lanes_failed,
                    (SELECT coalesce(sum(l.events_per_second), 0.0) FROM {Schema.Lane} AS l WHERE l.version = p.version AND {claimed})
                        AS events_per_second,
                    (SELECT {dialect.Count} FROM {Schema.DeadLetter} AS d WHERE d.version = p.version) AS dead_letters,
                    (SELECT {dialect.Count} FROM {Schema.Command} AS c WHERE c.projection = p.projection AND c.version = p.version
                        AND c.state = '{nameof(CommandState.Waiting)}') AS commands_waiting
                FROM {Schema.Projection} AS p JOIN journals AS j ON j.version = p.version) AS s
            """;
    }

    // The offset of a shard is that of its lane that is furthest behind. A shard without slices of the source has no offset.
    private static string Shards(ReadModelDialect dialect, string claimed)
    {
        // A lane without events has handled all that its owner has read, but it stores its offset only from time to time.
        var readUpTo = dialect.Greatest("o.ordering", $"CASE WHEN {claimed} THEN l.read_up_to ELSE 0 END");
        var rows = $"FROM {Schema.Offset} AS o JOIN {Schema.Lane} AS l "
            + "ON l.version = o.version AND o.first_slice BETWEEN l.first_slice AND l.last_slice "
            + "WHERE o.version = h.version AND o.first_slice BETWEEN h.first_slice AND h.last_slice";
        return
            $"""
            shards AS (
                SELECT h.version, h.shard, h.first_slice, h.last_slice, h.journal_end, h.journal_end_seen_at,
                    (SELECT min({readUpTo}) {rows}) AS current_offset,
                    {dialect.OrZero($"(SELECT o.timestamp {rows} ORDER BY {readUpTo}, o.timestamp {dialect.Limit("1")})")} AS timestamp
                FROM (
                    SELECT version, shard, first_slice, last_slice, journal_end, journal_end_seen_at FROM {Schema.Shard}
                    UNION ALL
                    SELECT p.version, {Whole}, 0, {JournalSlices.Count - 1}, p.journal_end, p.journal_end_seen_at FROM {Schema.Projection} AS p
                    WHERE NOT EXISTS (SELECT 1 FROM {Schema.Shard} AS t WHERE t.version = p.version)) AS h)
            """;
    }

    private static string Journals(ReadModelDialect dialect)
    {
        var read = $"s.shard = {Whole} OR s.current_offset IS NOT NULL";
        var head = dialect.Greatest("s.journal_end", "coalesce(s.current_offset, 0)");
        return
            $"""
            journals AS (
                SELECT s.version,
                    CAST(sum(s.current_offset) AS bigint) AS current_offset,
                    CAST(sum({head}) AS bigint) AS journal_end,
                    CASE WHEN sum(CASE WHEN ({read}) AND s.journal_end_seen_at IS NULL THEN 1 ELSE 0 END) = 0
                        THEN min(CASE WHEN {read} THEN s.journal_end_seen_at END) END AS journal_end_seen_at,
                    CAST(sum(CASE WHEN s.current_offset < s.journal_end THEN s.journal_end - s.current_offset ELSE 0 END) AS bigint) AS lag,
                    min(CASE WHEN s.current_offset < s.journal_end THEN s.timestamp END) AS timestamp,
                    {Text(dialect, "coalesce(s.current_offset, 0)")} AS current_offsets,
                    {Text(dialect, head)} AS journal_ends
                FROM {dialect.InOrder("shards", "version, shard")} AS s GROUP BY s.version)
            """;
    }

    private static string Text(ReadModelDialect dialect, string ordering) =>
        dialect.Joined($"CASE WHEN s.shard <> {Whole} THEN {dialect.Concat("s.first_slice", "'-'", "s.last_slice", "':'", ordering)} END", "s.shard");

    internal static async Task<IReadOnlyList<ProjectionStatus>> ReadAsync(DatabaseTransaction transaction, string name)
    {
        var lanes = (await LaneTable.ReadAsync(transaction, name).ConfigureAwait(false)).ToLookup(lane => lane.Version, lane => lane.Status);
        return await transaction.ReadAsync(
            $"""
            SELECT projection, version, role, source, paused, current_offset, journal_end, journal_end_seen_at, lag_events, lag_seconds, events_per_second, seconds_left,
                events, dead_letters, commands_waiting, current_offsets, journal_ends, unhandled, start_offset
            FROM {Schema.Status} WHERE projection = @projection ORDER BY version
            """,
            row => Row(row, lanes), ("projection", name)).ConfigureAwait(false);
    }

    private static ProjectionStatus Row(DbDataReader row, ILookup<string, LaneStatus> lanes) => new()
    {
        Name = row.GetString(0),
        Version = row.GetString(1),
        Role = Enum.Parse<VersionRole>(row.GetString(2)),
        Source = row.GetString(3),
        IsPaused = row.GetBoolean(4),
        Offset = row.LongOrNull(5) ?? 0,
        JournalEnd = row.IsDBNull(7) ? null : row.GetInt64(6),
        JournalEndSeenAt = row.TimeOrNull(7),
        LagEvents = row.LongOrNull(8),
        Lag = Seconds(row.DoubleOrNull(9)),
        EventsPerSecond = row.GetDouble(10),
        TimeLeft = Seconds(row.DoubleOrNull(11)),
        Events = row.GetInt64(12),
        DeadLetters = row.GetInt64(13),
        WaitingCommands = row.GetInt64(14),
        Offsets = ShardedOffset(row.TextOrNull(15)),
        JournalEnds = row.IsDBNull(7) ? null : ShardedOffset(row.TextOrNull(16)),
        UnhandledEvents = row.GetInt64(17),
        StartOffset = row.GetString(18),
        Lanes = [.. lanes[row.GetString(1)]],
    };

    private static ShardedPosition? ShardedOffset(string? text) => text is null ? null : ShardedPosition.Parse(text);

    // A very slow projection may need longer than TimeSpan.MaxValue.
    private static TimeSpan? Seconds(double? seconds) => seconds is { } value
        ? value < TimeSpan.MaxValue.TotalSeconds ? TimeSpan.FromSeconds(value) : TimeSpan.MaxValue
        : null;
}

using Throttled.Journal;

namespace Throttled.Projections.Store;

/// <summary>The view that tells any SQL client how projections do: one row for each target.</summary>
internal static class StatusView
{
    /// <summary>What was seen of the journal longer ago tells nothing of how far behind a read model is: nobody runs it.</summary>
    internal static readonly TimeSpan HeadIsOld = TimeSpan.FromSeconds(15);

    // Ticks at 1970; timestamps are UTC ticks of 100 ns since year 1.
    private const string UnixTicks = "621355968000000000";

    // The shard of a journal that is not sharded.
    private const string Whole = "-1";

    /// <summary>
    /// What a lane's owner tells holds while its claim does; a lane that nobody runs is idle. The lag in events is what the orderings differ
    /// by, which have gaps; it is unknown where the end of the journal was not seen of late. Of several shards, positions, ends and lags in events are
    /// added up, and the lag in time is the longest.
    /// </summary>
    internal static string Select(StoreSpelling spelling)
    {
        var claimed = spelling.Holds("l.lease_until");
        var since = spelling.Greatest($"{spelling.Epoch} - (s.timestamp - {UnixTicks}) / 10000000.0", "0.0");
        var unseen = $"s.head_at IS NULL OR s.head_at < {spelling.Later(FormattableString.Invariant($"-{HeadIsOld.TotalSeconds:0}"))}";
        // What is left of a tag or of slices is a part of the orderings: as many as there were of those so far.
        const string share = "CASE WHEN s.source <> 'all' AND s.events > 0 AND s.events < s.position THEN s.events * 1.0 / s.position ELSE 1.0 END";
        return
            $"""
            WITH {Shards(spelling, claimed)}, {Journals(spelling)}
            SELECT s.name, s.target, s.role, s.source, s.paused, s.lanes, s.lanes_running, s.lanes_failed, s.position, s.head, s.head_at,
                CASE WHEN {unseen} THEN NULL ELSE s.lag END AS lag_events,
                CASE WHEN {unseen} THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.timestamp = 0 THEN NULL
                    ELSE {since} END AS lag_seconds,
                s.events_per_second,
                CASE WHEN {unseen} THEN NULL WHEN s.lag = 0 THEN 0.0 WHEN s.events_per_second > 0
                    THEN s.lag * ({share}) / s.events_per_second END AS seconds_left,
                s.events, s.dead_letters, s.commands_waiting, s.positions, s.heads, s.unhandled
            FROM (
                SELECT p.name, p.target, p.role, p.source, p.paused, p.lanes, j.head, j.head_at, j.position, j.lag, j.timestamp, j.positions, j.heads,
                    coalesce((SELECT CAST(sum(o.events) AS bigint) FROM {StoreTables.Position} AS o WHERE o.target = p.target), 0) AS events,
                    coalesce((SELECT CAST(sum(o.unhandled) AS bigint) FROM {StoreTables.Position} AS o WHERE o.target = p.target), 0) AS unhandled,
                    (SELECT count(*) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}
                        AND l.state IN ('{nameof(LaneState.Running)}', '{nameof(LaneState.Retrying)}')) AS lanes_running,
                    (SELECT count(*) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}
                        AND l.state = '{nameof(LaneState.Failed)}') AS lanes_failed,
                    coalesce((SELECT sum(l.events_per_second) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}), 0.0)
                        AS events_per_second,
                    (SELECT count(*) FROM {StoreTables.DeadLetter} AS d WHERE d.target = p.target) AS dead_letters,
                    (SELECT count(*) FROM {StoreTables.Command} AS c WHERE c.name = p.name AND c.target = p.target
                        AND c.state = '{nameof(CommandState.Waiting)}') AS commands_waiting
                FROM {StoreTables.Projection} AS p JOIN journals AS j ON j.target = p.target) AS s
            """;
    }

    // How far the lane of each shard has come that is furthest behind. A shard that has none of the source's slices has no position.
    private static string Shards(StoreSpelling spelling, string claimed)
    {
        // A lane without events has come as far as its owner has read, though it stores that from time to time only.
        var reached = spelling.Greatest("o.ordering", $"CASE WHEN {claimed} THEN l.reached ELSE 0 END");
        var rows = $"FROM {StoreTables.Position} AS o JOIN {StoreTables.Lane} AS l "
            + "ON l.target = o.target AND o.first_slice BETWEEN l.first_slice AND l.last_slice "
            + "WHERE o.target = h.target AND o.first_slice BETWEEN h.first_slice AND h.last_slice";
        return
            $"""
            shards AS (
                SELECT h.target, h.shard, h.first_slice, h.last_slice, h.head, h.head_at,
                    (SELECT min({reached}) {rows}) AS position,
                    coalesce((SELECT o.timestamp {rows} ORDER BY {reached}, o.timestamp LIMIT 1), 0) AS timestamp
                FROM (
                    SELECT target, shard, first_slice, last_slice, head, head_at FROM {StoreTables.Shard}
                    UNION ALL
                    SELECT p.target, {Whole}, 0, {JournalSlices.Count - 1}, p.head, p.head_at FROM {StoreTables.Projection} AS p
                    WHERE NOT EXISTS (SELECT 1 FROM {StoreTables.Shard} AS t WHERE t.target = p.target)) AS h)
            """;
    }

    private static string Journals(StoreSpelling spelling)
    {
        var read = $"s.shard = {Whole} OR s.position IS NOT NULL";
        var head = spelling.Greatest("s.head", "coalesce(s.position, 0)");
        return
            $"""
            journals AS (
                SELECT s.target,
                    CAST(sum(s.position) AS bigint) AS position,
                    CAST(sum({head}) AS bigint) AS head,
                    CASE WHEN sum(CASE WHEN ({read}) AND s.head_at IS NULL THEN 1 ELSE 0 END) = 0
                        THEN min(CASE WHEN {read} THEN s.head_at END) END AS head_at,
                    CAST(sum(CASE WHEN s.position < s.head THEN s.head - s.position ELSE 0 END) AS bigint) AS lag,
                    min(CASE WHEN s.position < s.head THEN s.timestamp END) AS timestamp,
                    {Text(spelling, "coalesce(s.position, 0)")} AS positions,
                    {Text(spelling, head)} AS heads
                FROM (SELECT * FROM shards ORDER BY target, shard) AS s GROUP BY s.target)
            """;
    }

    private static string Text(StoreSpelling spelling, string ordering) =>
        spelling.Joined($"CASE WHEN s.shard <> {Whole} THEN s.first_slice || '-' || s.last_slice || ':' || {ordering} END", "s.shard");
}

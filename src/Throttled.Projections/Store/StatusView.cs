namespace Throttled.Projections.Store;

/// <summary>The view that tells any SQL client how projections do: one row for each target.</summary>
internal static class StatusView
{
    /// <summary>What was seen of the journal longer ago tells nothing of how far behind a read model is: nobody runs it.</summary>
    internal static readonly TimeSpan HeadIsOld = TimeSpan.FromSeconds(15);

    // Ticks at 1970; timestamps are UTC ticks of 100 ns since year 1.
    private const string UnixTicks = "621355968000000000";

    /// <summary>
    /// What a lane's owner tells holds while its claim does; a lane that nobody runs is idle. The lag in events is what the orderings differ
    /// by, which have gaps; it is unknown where the end of the journal was not seen of late.
    /// </summary>
    internal static string Select(StoreSpelling spelling)
    {
        var claimed = $"l.lease_until > {spelling.Now}";
        var level = "s.position >= s.head";
        var since = spelling.Greatest($"{spelling.Epoch} - (s.timestamp - {UnixTicks}) / 10000000.0", "0.0");
        // A lane without events has come as far as its owner has read, though it stores that from time to time only.
        var reached = spelling.Greatest("o.ordering", $"CASE WHEN {claimed} THEN l.reached ELSE 0 END");
        var rows = $"FROM {StoreTables.Position} AS o JOIN {StoreTables.Lane} AS l "
            + "ON l.target = o.target AND o.first_slice BETWEEN l.first_slice AND l.last_slice WHERE o.target = p.target";
        var unseen = $"s.head_at IS NULL OR s.head_at < {spelling.Later(FormattableString.Invariant($"-{HeadIsOld.TotalSeconds:0}"))}";
        return
            $"""
            SELECT s.name, s.target, s.role, s.source, s.paused, s.lanes, s.lanes_running, s.lanes_failed, s.position,
                {spelling.Greatest("s.head", "s.position")} AS head, s.head_at,
                CASE WHEN {unseen} THEN NULL WHEN {level} THEN 0 ELSE s.head - s.position END AS lag_events,
                CASE WHEN {unseen} THEN NULL WHEN {level} THEN 0.0 WHEN s.timestamp = 0 THEN NULL
                    ELSE {since} END AS lag_seconds,
                s.events_per_second,
                CASE WHEN {unseen} THEN NULL WHEN {level} THEN 0.0 WHEN s.events_per_second > 0
                    THEN (s.head - s.position) / s.events_per_second END AS seconds_left,
                s.events, s.dead_letters, s.commands_waiting
            FROM (
                SELECT p.name, p.target, p.role, p.source, p.paused, p.lanes, p.head, p.head_at,
                    (SELECT min({reached}) {rows}) AS position,
                    coalesce((SELECT o.timestamp {rows} ORDER BY {reached}, o.timestamp LIMIT 1), 0) AS timestamp,
                    coalesce((SELECT CAST(sum(o.events) AS bigint) FROM {StoreTables.Position} AS o WHERE o.target = p.target), 0) AS events,
                    (SELECT count(*) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}
                        AND l.state IN ('{nameof(LaneState.Running)}', '{nameof(LaneState.Retrying)}')) AS lanes_running,
                    (SELECT count(*) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}
                        AND l.state = '{nameof(LaneState.Failed)}') AS lanes_failed,
                    coalesce((SELECT sum(l.events_per_second) FROM {StoreTables.Lane} AS l WHERE l.target = p.target AND {claimed}), 0.0)
                        AS events_per_second,
                    (SELECT count(*) FROM {StoreTables.DeadLetter} AS d WHERE d.target = p.target) AS dead_letters,
                    (SELECT count(*) FROM {StoreTables.Command} AS c WHERE c.name = p.name AND c.target = p.target
                        AND c.state = '{nameof(CommandState.Waiting)}') AS commands_waiting
                FROM {StoreTables.Projection} AS p) AS s
            """;
    }
}

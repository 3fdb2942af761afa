using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tables;

/// <summary>Which process runs which lane. A lease expires by the database's clock; the state that its owner reported expires with it.</summary>
internal static class LaneTable
{
    private const string Lane = Schema.Lane;
    private const string Idle = nameof(LaneState.Idle);
    private const string Nobodys = $"owner = NULL, lease_until = NULL, state = '{Idle}', error = NULL, events_per_second = 0, stopped_after_resumes = NULL";

    internal static Task<List<LaneRow>> ReadAsync(DatabaseTransaction transaction, string name) =>
        transaction.ReadAsync(
            $"""
            SELECT l.version, l.lane, l.first_slice, l.last_slice,
                CASE WHEN {transaction.Dialect.Holds("l.lease_until")} THEN l.owner END, l.state, l.error, l.events_per_second, l.owner
            FROM {Lane} AS l JOIN {Schema.Projection} AS p ON p.version = l.version
            WHERE p.projection = @projection ORDER BY l.version, l.lane
            """,
            Row, ("projection", name));

    /// <summary>
    /// The lanes of a paused version that may still handle events: a process owns them, and has not reported since the last resume that they are stopped.
    /// Needs tables of version 4.
    /// </summary>
    internal static Task<List<RunningLane>> NotStoppedAsync(DatabaseTransaction transaction, string version) =>
        transaction.ReadAsync(
            $"""
            SELECT l.lane, l.owner, l.state FROM {Lane} AS l JOIN {Schema.Projection} AS p ON p.version = l.version
            WHERE l.version = @version AND l.owner IS NOT NULL AND {transaction.Dialect.Holds("l.lease_until")}
                AND (l.stopped_after_resumes IS NULL OR l.stopped_after_resumes < p.resumes)
            ORDER BY l.lane
            """,
            row => new RunningLane(row.GetInt32(0), row.GetString(1), row.GetString(2) == Idle), ("version", version));

    internal static Task<List<SliceRange>> SlicesAsync(DatabaseTransaction transaction, string version) =>
        transaction.ReadAsync(
            $"SELECT first_slice, last_slice FROM {Lane} WHERE version = @version ORDER BY lane",
            row => new SliceRange(row.GetInt32(0), row.GetInt32(1)), ("version", version));

    internal static Task InsertAsync(DatabaseTransaction transaction, string version, IReadOnlyList<SliceRange> lanes)
    {
        var rows = new SqlRows(
            ("lane", Enumerable.Range(0, lanes.Count).ToArray()),
            ("first", lanes.Select(lane => lane.First).ToArray()),
            ("last", lanes.Select(lane => lane.Last).ToArray()));
        return transaction.ExecuteForAsync(
            rows,
            $"""
            INSERT INTO {Lane} (version, lane, first_slice, last_slice, state, events_per_second, updated_at)
            SELECT @version, r.lane, r.first, r.last, '{Idle}', 0, {transaction.Dialect.Now}
            FROM {transaction.Dialect.Rows(rows)}
            """,
            ("version", version));
    }

    // Without an owner, so a process that does not know of the reset yet cannot report how far its lanes were before.
    internal static Task ResetAsync(DatabaseTransaction transaction, string version) => transaction.ExecuteAsync(
        $"UPDATE {Lane} SET {Nobodys}, read_up_to = 0, updated_at = {transaction.Dialect.Now} WHERE version = @version", ("version", version));

    internal static Task DeleteAsync(DatabaseTransaction transaction, string version) =>
        transaction.ExecuteAsync($"DELETE FROM {Lane} WHERE version = @version", ("version", version));

    // A locked row is being claimed by another process, or its lanes are being laid out anew. The statement skips it, because waiting could deadlock. If the
    // version's row is locked, it may claim nothing; the next call does.
    internal static Task<List<int>> ClaimAsync(
        DatabaseTransaction transaction, string version, long epoch, IReadOnlyCollection<int> lanes, string process, TimeSpan lease)
    {
        var (dialect, rows) = (transaction.Dialect, new SqlRows(("wanted", lanes.ToArray())));
        var free =
            $"""
            SELECT l.lane AS free FROM {dialect.Rows(rows)} JOIN {Lane} AS l{dialect.Free} ON l.lane = r.wanted
            WHERE l.version = @version AND (l.owner IS NULL OR l.owner = @process OR NOT {dialect.Holds("l.lease_until")})
                AND EXISTS (SELECT 1 FROM {Schema.Projection} AS p{dialect.Unlocked} WHERE p.version = @version AND p.epoch = @epoch)
            {dialect.ForUpdateOfFree("l")}
            """;
        return transaction.ReadForAsync(
            rows,
            $"""
            UPDATE {Lane} SET owner = @process, lease_until = {dialect.Later("@lease")}, state = '{Idle}', error = NULL,
                events_per_second = 0, stopped_after_resumes = NULL, updated_at = {dialect.Now}
            {dialect.Output("inserted", "lane")} {dialect.Matching(Lane, $"({free}) AS f", $"{Lane}.version = @version AND {Lane}.lane = f.free", dialect.Free)}
            {dialect.Returning("lane")}
            """,
            row => row.GetInt32(0), ("process", process), ("lease", lease.TotalSeconds), ("version", version), ("epoch", epoch));
    }

    internal static Task RenewAsync(
        DatabaseTransaction transaction, string version, string process, TimeSpan lease, IReadOnlyList<LaneReport> reports)
    {
        var rows = new SqlRows(
            ("lane", reports.Select(report => report.Lane).ToArray()),
            ("state", reports.Select(report => report.State.ToString()).ToArray()),
            ("error", reports.Select(report => StoredText.Of(report.Error)).ToArray()),
            ("speed", reports.Select(report => report.EventsPerSecond).ToArray()),
            ("read_up_to", reports.Select(report => report.Offset).ToArray()),
            ("stopped", reports.Select(report => report.StoppedAfterResumes).ToArray()));
        return transaction.ExecuteForAsync(
            rows,
            $"""
            UPDATE {Lane} SET lease_until = {transaction.Dialect.Later("@lease")}, state = r.state, error = r.error,
                events_per_second = r.speed, read_up_to = r.read_up_to, stopped_after_resumes = r.stopped, updated_at = {transaction.Dialect.Now}
            {transaction.Dialect.Matching(Lane, transaction.Dialect.Rows(rows), $"{Lane}.version = @version AND {Lane}.owner = @process AND {Lane}.lane = r.lane")}
            """,
            ("version", version), ("process", process), ("lease", lease.TotalSeconds));
    }

    internal static Task ReleaseAsync(DatabaseTransaction transaction, string version, IReadOnlyList<int> lanes, string process)
    {
        var rows = new SqlRows(("lane", lanes.ToArray()));
        return transaction.ExecuteForAsync(
            rows,
            $"""
            UPDATE {Lane} SET {Nobodys}, updated_at = {transaction.Dialect.Now}
            {transaction.Dialect.Matching(Lane, transaction.Dialect.Rows(rows), $"{Lane}.version = @version AND {Lane}.owner = @process AND {Lane}.lane = r.lane")}
            """,
            ("version", version), ("process", process));
    }

    internal static Task LeaveAsync(DatabaseTransaction transaction, string name, string process) =>
        transaction.ExecuteAsync(
            $"""
            UPDATE {Lane} SET {Nobodys}, updated_at = {transaction.Dialect.Now}
            WHERE owner = @process AND version IN (SELECT p.version FROM {Schema.Projection} AS p WHERE p.projection = @projection)
            """,
            ("process", process), ("projection", name));

    private static LaneRow Row(DbDataReader row)
    {
        var (lane, first, last, owner) = (row.GetInt32(1), row.GetInt32(2), row.GetInt32(3), row.TextOrNull(4));
        return owner is null
            ? new(row.GetString(0), new(lane, first, last, null, LaneState.Idle, null, 0)) { Expired = row.TextOrNull(8) }
            : new(row.GetString(0), new(lane, first, last, owner, Enum.Parse<LaneState>(row.GetString(5)), row.TextOrNull(6), row.GetDouble(7)));
    }
}

/// <summary>A lane of a paused version that has not reported its stop. <c>IsIdle</c>: its owner does not run it, but has not reported that it stopped for the pause.</summary>
internal sealed record RunningLane(int Lane, string Owner, bool IsIdle);

/// <summary>A lane whose lease has expired by the database's clock has no owner, and is idle.</summary>
internal sealed record LaneRow(string Version, LaneStatus Status)
{
    internal int Lane => Status.Lane;

    internal string? Owner => Status.Owner;

    internal SliceRange Slices => new(Status.FirstSlice, Status.LastSlice);

    /// <summary>The process whose lease has expired, if no other has claimed the lane since; otherwise null.</summary>
    internal string? Expired { get; init; }

    /// <summary>The lane's part of its version's history. The row itself does not store it.</summary>
    internal VersionHistory History { get; init; } = new(Version);

    /// <summary>Whether its version is being rebuilt. The row itself does not store it.</summary>
    internal bool IsBuilding { get; init; }
}

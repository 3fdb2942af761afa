namespace Throttled.Projections.Tests.Store;

/// <summary>The statements of a process of an earlier release, with the columns that it knew. They do not change.</summary>
internal sealed class OldProcess(TestReadModel readModel, int version)
{
    private const string Process = "old-process";

    private string Now => readModel.IsSqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" : readModel.IsSqlServer ? "TODATETIMEOFFSET(SYSUTCDATETIME(), 0)" : "clock_timestamp()";

    private string Later => readModel.IsSqlite ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%.3f seconds', 3600))"
        : readModel.IsSqlServer ? "DATEADD(millisecond, CAST(3600 * 1000 AS int), TODATETIMEOFFSET(SYSUTCDATETIME(), 0))"
        : "clock_timestamp() + 3600 * interval '1 second'";

    internal async Task RenewAsync()
    {
        var insert = $"INSERT INTO throttled_projection_process (projection, process, lease_until) VALUES ('seen', '{Process}', {Later})";
        await readModel.ExecuteAsync(readModel.IsSqlServer
            ? $"UPDATE throttled_projection_process SET lease_until = {Later} WHERE projection = 'seen' AND process = '{Process}'; IF @@ROWCOUNT = 0 {insert}"
            : $"{insert} ON CONFLICT (projection, process) DO UPDATE SET lease_until = excluded.lease_until");
        await readModel.ExecuteAsync(
            $"UPDATE throttled_projection_lane SET lease_until = {Later}, state = 'Running', error = NULL, events_per_second = 3.5, read_up_to = 40, updated_at = {Now} WHERE version = 'seen' AND owner = '{Process}'");
    }

    internal async Task ClaimAsync(int lane)
    {
        await readModel.ExecuteAsync(
            $"UPDATE throttled_projection_lane SET owner = '{Process}', lease_until = {Later}, state = 'Idle', error = NULL, events_per_second = 0, updated_at = {Now} "
            + $"WHERE version = 'seen' AND lane = {lane} AND EXISTS (SELECT 1 FROM throttled_projection AS p WHERE p.version = 'seen' AND p.epoch = 7)");
        Assert.Equal(1, await readModel.CountAsync($"throttled_projection_lane WHERE version = 'seen' AND lane = {lane} AND owner = '{Process}'"));
    }

    internal async Task MoveAsync(long from, long to)
    {
        await readModel.ExecuteAsync(
            $"UPDATE throttled_projection_offset SET last_slice = 511, ordering = {to}, timestamp = 410, events = events + 1, moved_at = {Now} "
            + $"WHERE version = 'seen' AND first_slice = 0 AND last_slice = 511 AND ordering = {from} AND epoch = 7");
        Assert.Equal(1, await readModel.CountAsync($"throttled_projection_offset WHERE version = 'seen' AND first_slice = 0 AND ordering = {to}"));
        if (version >= 2)
            await readModel.ExecuteAsync("UPDATE throttled_projection_offset SET events = events + 0, unhandled = unhandled + 1 WHERE version = 'seen' AND first_slice = 0");
    }

    internal Task EndCommandAsync() => readModel.ExecuteAsync(
        $"UPDATE throttled_projection_command SET state = 'Done', result = '1 event retried', done_at = {Now} WHERE verb = 'Retry' AND state = 'Waiting'");

    internal Task GiveCommandAsync() => readModel.ExecuteAsync(
        $"INSERT INTO throttled_projection_command (projection, version, verb, ordering, state, created_at) VALUES ('seen', 'seen', 'Reset', 0, 'Waiting', {Now})");

    internal async Task ReadStatusAsync()
    {
        Assert.Equal(1, await readModel.CountAsync(
            "(SELECT projection, version, role, source, paused, current_offset, journal_end, journal_end_seen_at, lag_events, lag_seconds, events_per_second, seconds_left, "
            + $"events, dead_letters, commands_waiting, current_offsets, journal_ends{(version >= 2 ? ", unhandled" : "")} FROM throttled_projection_status WHERE version = 'seen') AS s"));
    }
}

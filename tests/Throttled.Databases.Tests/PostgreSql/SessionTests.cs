using System.Diagnostics;
using System.Globalization;
using Npgsql;
using Throttled.Journal.Relational;
using Throttled.Testing.Scripted;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

public class SessionTests
{
    [PostgreSqlFact]
    public async Task A_call_that_failed_does_not_wait_for_other_dead_sessions()
    {
        await using var journal = await CreateAsync();
        await using var given = NpgsqlDataSource.Create($"{journal.ConnectionString};No Reset On Close=true");
        await using var sessions = new PostgreSqlSessions(PostgreSqlSource.Of(given), new());
        var pids = await BurstAsync(sessions, 4);
        try
        {
            var failing = sessions.RunAsync(
                async session =>
                {
                    var own = await PidAsync(session);
                    foreach (var pid in pids.Where(pid => pid != own))
                        Signals.Send("STOP", pid);
                    return await ScalarAsync(session, "SELECT pg_terminate_backend(pg_backend_pid())");
                },
                default);
            await Assert.ThrowsAsync<PostgresException>(() => failing.WaitAsync(TimeSpan.FromMinutes(1)));
        }
        finally
        {
            foreach (var pid in pids)
                Signals.Send("CONT", pid);
        }
    }

    [PostgreSqlFact]
    public async Task Idle_sessions_are_closed_after_a_minute_even_if_no_other_returns()
    {
        await using var journal = await CreateAsync();
        var clock = new FakeClock();
        await using var sessions = new PostgreSqlSessions(
            PostgreSqlSource.Parse($"{journal.ConnectionString};Application Name=burst"), new() { TimeProvider = clock });
        await BurstAsync(sessions, 5);
        clock.Advance(TimeSpan.FromSeconds(40));
        await sessions.RunAsync(PidAsync, default);
        clock.Advance(TimeSpan.FromSeconds(19));
        Assert.Equal(5, await OpenAsync(journal));
        clock.Advance(TimeSpan.FromSeconds(1));
        await Wait.UntilAsync(async () => await OpenAsync(journal) == 1, () => "four sessions closed");
        clock.Advance(TimeSpan.FromSeconds(40));
        await Wait.UntilAsync(async () => await OpenAsync(journal) == 0, () => "the last session closed");
        Assert.Null(clock.NextRing);
    }

    [PostgreSqlFact]
    public async Task Behind_a_pooler_a_session_has_no_process_to_cancel_or_terminate()
    {
        await using var journal = await CreateAsync();
        await using var pooler = PoolerProxy.Before(journal.ConnectionString);
        await using var behind = new PostgreSqlSessions(PostgreSqlSource.Parse(pooler.ConnectionString), new());
        await using var direct = new PostgreSqlSessions(PostgreSqlSource.Parse(journal.ConnectionString), new());
        var (hidden, own) = (await behind.RunAsync(NamesAsync, default), await direct.RunAsync(NamesAsync, default));
        Assert.Null(hidden.Backend);
        Assert.NotNull(own.Backend);
        // Its next statement may run on another server.
        Assert.Null(hidden.Server);
    }

    [PostgreSqlFact]
    public async Task Behind_a_pooler_no_setting_stays_with_a_connection_even_if_preparing_is_on()
    {
        await using var journal = await CreateAsync();
        await using var pooler = PoolerProxy.Before(journal.ConnectionString);
        await using var behind = new PostgreSqlSessions(PostgreSqlSource.Parse(pooler.ConnectionString), new() { StatementTimeout = TimeSpan.FromSeconds(7) });
        await using var direct = new PostgreSqlSessions(PostgreSqlSource.Parse(journal.ConnectionString), new() { StatementTimeout = TimeSpan.FromSeconds(7) });
        const string Sources =
            "SELECT count(*) FROM pg_settings WHERE source = 'session' AND name IN ('plan_cache_mode', 'enable_sort', 'jit', 'max_parallel_workers_per_gather', "
            + "'default_transaction_isolation', 'client_connection_check_interval')";
        Assert.Equal(0L, await behind.RunAsync(session => ScalarAsync(session, Sources), default));
        Assert.Equal("7s", await behind.RunAsync(session => ScalarAsync(session, "SELECT current_setting('statement_timeout')"), default));
        Assert.Equal(0L, await behind.RunAsync(session => ScalarAsync(session, "SELECT count(*) FROM pg_prepared_statements"), default));
        Assert.NotEqual(0L, await direct.RunAsync(session => ScalarAsync(session, Sources), default));
    }

    [PostgreSqlFact]
    public async Task A_broken_connection_is_no_restart_of_the_server()
    {
        await using var journal = await CreateAsync();
        await using var sessions = new PostgreSqlSessions(PostgreSqlSource.Parse(journal.ConnectionString), new());
        var held = new TaskCompletionSource();
        var isHeld = new TaskCompletionSource();
        var surviving = sessions.RunAsync(
            async session =>
            {
                isHeld.SetResult();
                await held.Task;
                return session.Server;
            },
            default);
        await isHeld.Task;
        await Assert.ThrowsAsync<PostgresException>(
            () => sessions.RunAsync(session => ScalarAsync(session, "SELECT pg_terminate_backend(pg_backend_pid())"), default));
        var opened = await sessions.RunAsync(session => Task.FromResult(session.Server), default);
        held.SetResult();
        Assert.NotNull(opened);
        Assert.Equal(await surviving, opened);
    }

    private static Task<(string? Backend, string? Server)> NamesAsync(PostgreSqlSession session) => Task.FromResult((session.Backend, session.Server));

    private static Task<long> OpenAsync(TestJournal journal) => journal.ScalarAsync<long>(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'burst'");

    private static async Task<int[]> BurstAsync(PostgreSqlSessions sessions, int count)
    {
        var all = new TaskCompletionSource();
        var started = 0;
        return await Task.WhenAll(Enumerable.Range(0, count).Select(_ => sessions.RunAsync(
            async session =>
            {
                if (Interlocked.Increment(ref started) == count)
                    all.SetResult();
                await all.Task;
                return await PidAsync(session);
            },
            default)));
    }

    private static async Task<int> PidAsync(PostgreSqlSession session) =>
        (int)(await ScalarAsync(session, "SELECT pg_backend_pid()"))!;

    private static Task<object?> ScalarAsync(PostgreSqlSession session, string sql) => session.ScalarAsync(sql, default);
}

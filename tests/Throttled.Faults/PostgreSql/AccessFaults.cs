using System.Data.Common;
using Npgsql;

namespace Throttled.Faults.PostgreSql;

/// <summary>Faults that keep a reader out: revoked rights, and others that take all connections.</summary>
internal static class AccessFaults
{
    private static readonly TimeSpan HalfAMinute = TimeSpan.FromSeconds(30);

    internal static ServerFault Revoked { get; } = Revoke("permission revoked until probes failed", FailAsync);

    internal static ServerFault RevokedForLong { get; } = Revoke("permission revoked for 30 s", ForHalfAMinuteAsync);

    internal static ServerFault NoConnect { get; } = Barred(
        "CONNECT on the database revoked",
        run => run.ExecuteAsync($"DO $$ BEGIN EXECUTE 'REVOKE CONNECT ON DATABASE ' || current_database() || ' FROM {PostgreSqlServer.Reader}'; END $$"),
        run => run.ExecuteAsync($"DO $$ BEGIN EXECUTE 'GRANT CONNECT ON DATABASE ' || current_database() || ' TO {PostgreSqlServer.Reader}'; END $$"));

    internal static ServerFault NoLogin { get; } = Altered("role without LOGIN", "NOLOGIN", "LOGIN");

    internal static ServerFault OtherPassword { get; } =
        Altered("password changed and changed back", "PASSWORD 'another'", $"PASSWORD '{PostgreSqlServer.Password}'");

    internal static ServerFault ConnectionLimit { get; } = Altered("too many connections: CONNECTION LIMIT of the role", "CONNECTION LIMIT 0", "CONNECTION LIMIT -1");

    internal static ServerFault NoConnectionLeft { get; } = Filled();

    private static ServerFault Revoke(string name, Func<ServerRun, Task> wait) => new(
        name,
        async run =>
        {
            await run.ExecuteAsync(ServerRun.Rights("REVOKE", "FROM"));
            await wait(run);
        },
        run => run.ExecuteAsync(ServerRun.Rights("GRANT", "TO")));

    private static ServerFault Altered(string name, string bad, string good) => Barred(
        name, run => run.ExecuteAsync($"ALTER ROLE {PostgreSqlServer.Reader} {bad}"), run => run.ExecuteAsync($"ALTER ROLE {PostgreSqlServer.Reader} {good}"));

    // Existing sessions would stay connected, so they are ended too.
    private static ServerFault Barred(string name, Func<ServerRun, Task> bar, Func<ServerRun, Task> unbar) => new(
        name,
        async run =>
        {
            await bar(run);
            await run.TerminateAsync();
            await run.Meter.MoreAsync(3, "probe");
        },
        unbar);

    // A query that catches up fails in a page and then in probes. A query that follows fails with the tail, which retries by itself.
    private static Task FailAsync(ServerRun run) => run.Meter.MoreAsync(3, "keys", "probe");

    private static async Task ForHalfAMinuteAsync(ServerRun run)
    {
        await using var connection = await run.Journal.ConnectAsync();
        var start = await connection.ScalarAsync<DateTime>("SELECT clock_timestamp()");
        await Wait.UntilAsync(
            async () => await connection.ScalarAsync<DateTime>("SELECT clock_timestamp()") - start >= HalfAMinute, () => "half a minute of the server's clock");
    }

    private static ServerFault Filled()
    {
        List<DbConnection> others = [];
        return new(
            "too many connections: others take all 16",
            async run =>
            {
                await FillAsync(run, others);
                await run.Meter.MoreAsync(3, "probe");
            },
            async _ =>
            {
                foreach (var other in others)
                    await other.DisposeAsync();
                others.Clear();
            })
        { Connections = 16 };
    }

    // One connection ends the sessions of the reader; others take their place until no connection is left.
    private static async Task FillAsync(ServerRun run, List<DbConnection> others)
    {
        others.Add(await run.Journal.ConnectAsync());
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    others.Add(await run.Journal.ConnectAsync());
                    return false;
                }
                catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.TooManyConnections)
                {
                    return await ServerRun.TerminateAsync(others[0]) == 0;
                }
            },
            () => "all connections taken");
    }
}

using System.Data.Common;
using Npgsql;
using Throttled.Testing;

namespace Throttled.Faults.PostgreSql;

/// <summary>What keeps a reader out: rights that are taken from it, and others who take all connections.</summary>
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

    // Who is in stays in, so that the sessions are ended too.
    private static ServerFault Barred(string name, Func<ServerRun, Task> bar, Func<ServerRun, Task> unbar) => new(
        name,
        async run =>
        {
            await bar(run);
            await run.TerminateAsync();
            await run.Meter.MoreAsync(3, "probe");
        },
        unbar);

    // Whoever catches up meets it in a page and then in probes; whoever follows, in the tail, which tries by itself.
    private static Task FailAsync(ServerRun run) => run.Meter.MoreAsync(3, "keys", "probe");

    private static async Task ForHalfAMinuteAsync(ServerRun run)
    {
        await using var connection = await run.Journal.ConnectAsync();
        var start = await connection.ScalarAsync<DateTime>("SELECT clock_timestamp()");
        await Wait.UntilAsync(
            async () => await connection.ScalarAsync<DateTime>("SELECT clock_timestamp()") - start >= HalfAMinute, () => "half a minute of the server's");
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

    // One to end the reader's sessions with; others take their place until nobody gets in.
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

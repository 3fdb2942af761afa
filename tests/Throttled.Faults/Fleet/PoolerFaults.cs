using Npgsql;
using Throttled.Faults.PostgreSql;

namespace Throttled.Faults.Fleet;

/// <summary>Faults of PgBouncer by settings, by commands, and by its end. https://www.pgbouncer.org/usage.html</summary>
internal static class PoolerFaults
{
    internal static ServerFault Killed { get; } = new(
        "pooler killed (SIGKILL) and started",
        async run =>
        {
            run.Pooler.Kill();
            await run.Meter.MoreAsync(2, "probe");
        },
        run => run.Pooler.StartAsync());

    internal static ServerFault ServerKilled { get; } = new(
        "server killed (SIGKILL) behind the pooler",
        async run =>
        {
            run.Server.Kill();
            await run.Meter.MoreAsync(2, "probe");
        },
        run =>
        {
            run.Server.Start();
            return Task.CompletedTask;
        });

    /// <summary>PAUSE waits for statements. In session mode it would wait until the clients disconnect.</summary>
    internal static ServerFault Paused { get; } = ByCommands("PAUSE and RESUME", ["PAUSE {0}"], ["RESUME {0}"], probes: 1);

    internal static ServerFault Dropped { get; } = ByCommands("KILL and RESUME", ["KILL {0}"], ["RESUME {0}"], probes: 1);

    internal static ServerFault Disabled { get; } =
        ByCommands("DISABLE and ENABLE", ["DISABLE {0}", "KILL {0}", "RESUME {0}"], ["ENABLE {0}"], probes: 2);

    internal static ServerFault NoClientsLeft { get; } =
        ByCommands("max_client_conn reached", ["SET max_client_conn = 1", "KILL {0}", "RESUME {0}"], ["SET max_client_conn = 100"], probes: 2);

    internal static ServerFault LongStatements { get; } = Locked(
        "query_timeout 1 s on a locked table", ["SET query_timeout = 1"], ["SET query_timeout = 0"]);

    /// <summary>No statement may fail.</summary>
    internal static ServerFault ShortLives { get; } = new(
        "server_lifetime and server_idle_timeout 1 s, RECONNECT",
        async run =>
        {
            await run.Pooler.RunAsync("SET server_lifetime = 1", "SET server_idle_timeout = 1", "RECONNECT {0}");
            await run.Meter.MoreAsync(20, "keys");
        },
        run => run.Pooler.UndoAsync("SET server_lifetime = 3600", "SET server_idle_timeout = 600"));

    internal static ServerFault NoServerLeft { get; } = PoolInUse();

    private static ServerFault ByCommands(string name, string[] strike, string[] cure, int probes) => new(
        name,
        async run =>
        {
            await run.Pooler.RunAsync(strike);
            await run.Meter.MoreAsync(probes, "probe");
        },
        run => run.Pooler.UndoAsync(cure));

    private static ServerFault Locked(string name, string[] strike, string[] cure)
    {
        RawTransaction? tableLock = null;
        return new(
            name,
            async run =>
            {
                await run.Pooler.RunAsync(strike);
                tableLock = await run.Journal.BeginAsync();
                await tableLock.RunAsync($"LOCK TABLE {run.Journal.Table} IN ACCESS EXCLUSIVE MODE");
                await run.Meter.MoreAsync(2, "probe");
            },
            async run =>
            {
                await tableLock!.DisposeAsync();
                await run.Pooler.UndoAsync(cure);
            })
        // If the pooler has closed a connection, the statement on the server runs until its own timeout.
        { LostBeside = 3, Timeout = TimeSpan.FromSeconds(2) };
    }

    // Others have a transaction on each connection of the pooler, so a new client waits, and is refused after a second.
    private static ServerFault PoolInUse()
    {
        List<NpgsqlConnection> others = [];
        return new(
            "query_wait_timeout 1 s, others hold all connections",
            async run =>
            {
                await run.Pooler.RunAsync("SET query_wait_timeout = 1", "KILL {0}", "RESUME {0}");
                await Wait.UntilAsync(async () => await TakeConnectionsAsync(run, others) == PgBouncer.PoolSize, () => $"{PgBouncer.PoolSize} connections in use; there are {others.Count}");
                await run.Meter.MoreAsync(2, "probe");
            },
            async run =>
            {
                foreach (var other in others)
                    await other.DisposeAsync();
                others.Clear();
                await run.Pooler.UndoAsync("SET query_wait_timeout = 120");
            });
    }

    private static async Task<int> TakeConnectionsAsync(ServerRun run, List<NpgsqlConnection> others)
    {
        var connection = new NpgsqlConnection($"{run.Journal.ReaderConnectionString};Pooling=False;No Reset On Close=True");
        try
        {
            await connection.OpenAsync();
            await connection.RunAsync("BEGIN");
            await connection.RunAsync("SELECT 1");
            others.Add(connection);
        }
        catch (NpgsqlException)
        {
            await connection.DisposeAsync();
        }
        return others.Count;
    }
}

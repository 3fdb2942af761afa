using Npgsql;

namespace Throttled.Faults.PostgreSql;

/// <summary>Servers that stop and start again.</summary>
internal static class RestartFaults
{
    internal static ServerFault Stopped { get; } = new(
        "server stopped (fast) and started",
        async run =>
        {
            run.Server.Stop();
            await run.Meter.MoreAsync(2, "probe");
        },
        run =>
        {
            run.Server.Start();
            return Task.CompletedTask;
        });

    /// <summary>Connections are refused with 57P03 while the server replays the WAL since its last checkpoint.</summary>
    internal static ServerFault Recovering { get; } = new(
        "server killed, and in recovery for some seconds (57P03)",
        async run =>
        {
            await run.ExecuteAsync("DROP TABLE IF EXISTS junk; CREATE TABLE junk AS SELECT n, md5(n::text) FROM generate_series(1, 3000000) n");
            run.Server.Kill();
            var starting = Task.Run(run.Server.Start);
            await UntilStartingUpAsync(run);
            await starting;
        },
        _ => Task.CompletedTask);

    private static Task UntilStartingUpAsync(ServerRun run) => Wait.UntilAsync(
        async () =>
        {
            try
            {
                await using var connection = await run.Journal.ConnectAsync();
                throw new InvalidOperationException("The server restarted without a visible recovery.");
            }
            catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.CannotConnectNow)
            {
                return true;
            }
            catch (NpgsqlException)
            {
                return false;
            }
        },
        () => "a server that is starting up");
}

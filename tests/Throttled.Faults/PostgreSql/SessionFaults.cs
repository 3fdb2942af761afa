namespace Throttled.Faults.PostgreSql;

/// <summary>Faults of sessions and statements by administrators and settings.</summary>
internal static class SessionFaults
{
    internal static ServerFault Terminated { get; } = Terminate(15);

    internal static ServerFault TerminatedForShort { get; } = Terminate(4);

    internal static ServerFault Cancelled { get; } = new(
        "pg_cancel_backend at random, 15 times",
        run => RepeatAsync(run.CancelAsync, 15),
        _ => Task.CompletedTask);

    internal static ServerFault TimedOut { get; } = Locked(
        "statement time-outs on a locked table", _ => Task.CompletedTask, _ => Task.CompletedTask);

    internal static ServerFault LockTimedOut { get; } = Locked(
        "lock time-outs on a locked table", run => SetAsync(run, "SET lock_timeout = '100ms'"), run => SetAsync(run, "RESET lock_timeout"));

    internal static ServerFault IdleTimedOut { get; } = new(
        "sessions ended when idle for 20 ms (idle_session_timeout)",
        async run =>
        {
            await SetAsync(run, "SET idle_session_timeout = '20ms'");
            await run.Meter.MoreAsync(4, "probe");
        },
        run => SetAsync(run, "RESET idle_session_timeout"));

    private static ServerFault Terminate(int times) => new(
        $"pg_terminate_backend at random, {times} times", run => RepeatAsync(() => run.TerminateAsync(2), times), _ => Task.CompletedTask);

    private static ServerFault Locked(string name, Func<ServerRun, Task> before, Func<ServerRun, Task> after)
    {
        RawTransaction? tableLock = null;
        return new(
            name,
            async run =>
            {
                await before(run);
                tableLock = await run.Journal.BeginAsync();
                await tableLock.RunAsync($"LOCK TABLE {run.Journal.Table} IN ACCESS EXCLUSIVE MODE");
                await run.Meter.MoreAsync(3, "page", "keys", "rows", "probe");
            },
            async run =>
            {
                await tableLock!.DisposeAsync();
                await after(run);
            });
    }

    // New sessions get the settings of the role.
    private static async Task SetAsync(ServerRun run, string setting)
    {
        await run.ExecuteAsync($"ALTER ROLE {PostgreSqlServer.Reader} {setting}");
        await run.TerminateAsync();
    }

    // Repeated until there was a session or statement often enough.
    private static async Task RepeatAsync(Func<Task<long>> hit, int times)
    {
        var hits = 0L;
        await Wait.UntilAsync(async () => (hits += await hit()) >= times, () => $"{times} hits; there were {hits}");
    }
}

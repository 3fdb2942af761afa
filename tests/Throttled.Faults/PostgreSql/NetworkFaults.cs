namespace Throttled.Faults.PostgreSql;

/// <summary>Faults of the network between reader and server.</summary>
internal static class NetworkFaults
{
    private const int Rounds = 2;

    internal static ServerFault CutInMidRow { get; } = new(
        "connections cut after a random number of bytes",
        async run =>
        {
            var before = run.Proxy.Cuts;
            run.Proxy.CutAfter = () => Bytes(run.Random);
            await Wait.UntilAsync(() => run.Proxy.Cuts >= before + 8, () => "eight connections cut");
        },
        run =>
        {
            run.Proxy.CutAfter = null;
            return Task.CompletedTask;
        });

    internal static ServerFault ResetInMidStatement { get; } = CutInMidStatement("connections reset (RST) while the server works", isReset: true);

    internal static ServerFault ClosedInMidStatement { get; } = CutInMidStatement("connections closed (FIN) while the server works", isReset: false);

    internal static ServerFault HalfOpen { get; } = new("half-open: no traffic, no connection closed", StopTrafficAsync, FlowAsync);

    internal static ServerFault HalfOpenAtDefaults { get; } =
        new("half-open, StatementTimeout 30 s", StopTrafficAsync, FlowAsync) { Timeout = TimeSpan.FromSeconds(30) };

    internal static ServerFault Slow { get; } = new(
        "slow: 1 KB/s",
        async run =>
        {
            var before = run.Proxy.SlowBytes;
            run.Proxy.Traffic = Traffic.Slow;
            await Wait.UntilAsync(() => run.Proxy.SlowBytes >= before + 8_000, () => "8,000 bytes of the slow network");
        },
        FlowAsync);

    internal static ServerFault Refused { get; } = new(
        "connections refused",
        async run =>
        {
            await run.Proxy.RefuseAsync();
            await run.Meter.MoreAsync(2, "probe");
        },
        run =>
        {
            run.Proxy.Accept();
            return Task.CompletedTask;
        });

    internal static ServerFault Silent { get; } = new(
        "connections accepted and never answered",
        async run =>
        {
            run.Proxy.Traffic = Traffic.Lost;
            run.Proxy.CutAll(isReset: true);
            await run.Meter.MoreAsync(1, "probe");
        },
        FlowAsync);

    // Small and large numbers are equally likely.
    private static int Bytes(Random random)
    {
        // Connections end concurrently.
        lock (random)
            return (int)Math.Exp(random.NextDouble() * Math.Log(20_000));
    }

    // A lock keeps statements running on the server when their connections are cut, and when new connections come.
    private static ServerFault CutInMidStatement(string name, bool isReset)
    {
        RawTransaction? tableLock = null;
        return new(
            name,
            async run =>
            {
                tableLock = await run.Journal.BeginAsync();
                await tableLock.RunAsync($"LOCK TABLE {run.Journal.Table} IN ACCESS EXCLUSIVE MODE");
                for (var round = 0; round < Rounds; round++)
                {
                    await Wait.UntilAsync(async () => await run.Journal.RunningAsync() > 0, () => "a statement that waits for its lock");
                    run.Proxy.CutAll(isReset);
                    await run.Meter.MoreAsync(1, "probe");
                }
            },
            async _ => await tableLock!.DisposeAsync())
        { LostBeside = 1 };
    }

    private static async Task StopTrafficAsync(ServerRun run)
    {
        run.Proxy.StopTraffic();
        await Wait.UntilAsync(() => run.Proxy.Swallowed > 0, () => "a statement or an answer that is lost");
    }

    private static Task FlowAsync(ServerRun run)
    {
        // Only new connections work. Stopped connections never recover, and the reader must detect that.
        run.Proxy.Traffic = Traffic.Flows;
        return Task.CompletedTask;
    }
}

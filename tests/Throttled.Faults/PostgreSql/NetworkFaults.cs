using Throttled.Testing;

namespace Throttled.Faults.PostgreSql;

/// <summary>What a network does to connections.</summary>
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

    internal static ServerFault HalfOpen { get; } = new("half-open: nothing passes, nobody is told", StandStillAsync, FlowAsync);

    internal static ServerFault HalfOpenAtDefaults { get; } =
        new("half-open, StatementTimeout 30 s", StandStillAsync, FlowAsync) { Timeout = TimeSpan.FromSeconds(30) };

    internal static ServerFault Slow { get; } = new(
        "slow: 1 KB/s",
        async run =>
        {
            var before = run.Proxy.SlowBytes;
            run.Proxy.Traffic = Traffic.Trickles;
            await Wait.UntilAsync(() => run.Proxy.SlowBytes >= before + 8_000, () => "8,000 bytes of the slow network's");
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
            run.Proxy.Traffic = Traffic.Stands;
            run.Proxy.CutAll(isReset: true);
            await run.Meter.MoreAsync(1, "probe");
        },
        FlowAsync);

    // As many of a few bytes as of many.
    private static int Bytes(Random random)
    {
        // Connections end beside one another.
        lock (random)
            return (int)Math.Exp(random.NextDouble() * Math.Log(20_000));
    }

    // The server is held by a lock, so that it works on its statements when the connections go; and still does when others come.
    private static ServerFault CutInMidStatement(string name, bool isReset)
    {
        RawTransaction? holder = null;
        return new(
            name,
            async run =>
            {
                holder = await run.Journal.BeginAsync();
                await holder.RunAsync($"LOCK TABLE {run.Journal.Table} IN ACCESS EXCLUSIVE MODE");
                for (var round = 0; round < Rounds; round++)
                {
                    await Wait.UntilAsync(async () => await run.Journal.RunningAsync() > 0, () => "a statement that waits for its lock");
                    run.Proxy.CutAll(isReset);
                    await run.Meter.MoreAsync(1, "probe");
                }
            },
            async _ => await holder!.DisposeAsync())
        { LostBeside = 1 };
    }

    private static async Task StandStillAsync(ServerRun run)
    {
        run.Proxy.StandStill();
        await Wait.UntilAsync(() => run.Proxy.Swallowed > 0, () => "a statement or an answer that is lost");
    }

    private static Task FlowAsync(ServerRun run)
    {
        // Only new connections pass; those that stand are gone for good, and the reader has yet to find out.
        run.Proxy.Traffic = Traffic.Flows;
        return Task.CompletedTask;
    }
}

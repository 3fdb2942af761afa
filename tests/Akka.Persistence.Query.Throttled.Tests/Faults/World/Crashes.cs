using System.Diagnostics;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>A server that is killed and restarted while a crowd of streams runs.</summary>
internal sealed class Crashes(PostgreSqlServer server, ITestOutputHelper output)
{
    internal async Task RunAsync(int streams, int crashes)
    {
        await using var journal = await ServerJournal.CreateAsync(server);
        var start = Stopwatch.GetTimestamp();
        // Slow enough that the crash comes while streams catch up.
        var rate = Math.Min(300, 20 + (streams / 7));
        await using var run = await CrowdRun.StartAsync(
            journal, streams, $"max-buffer-size = 100, max-queries-per-statement = {Math.Clamp(streams / 50, 2, 20)}, max-queries-per-second = {rate}, burst = 1");
        await run.Crowd.UntilAsync(streams / 10);
        // A small crowd may have caught up before its first events are counted here.
        if (streams > 1_000)
            Assert.InRange(run.Side.Meter.Following, 0, run.Crowd.Size - 1);

        for (var crash = 1; crash <= crashes; crash++)
        {
            await CrashAsync(run);
            await run.MoreAsync(Random.Shared.Next(300));
        }

        await run.EndAsync();
        output.WriteLine($"{run.Ledger.Count} events, {run.Crowd.Events} deliveries, {run.Ambiguous} ambiguous commits; {Seconds(start)} in all; {run.Side.Meter}");
    }

    private async Task CrashAsync(CrowdRun run)
    {
        var following = run.Side.Meter.Following;
        server.Kill();
        var events = run.Crowd.Events;
        // Some failed statements without a server.
        await run.Side.Meter.MoreAsync(2, "probe");
        run.Crowd.Check();
        server.Start();
        var start = Stopwatch.GetTimestamp();
        await run.Crowd.UntilAsync(events + 1);
        var first = Seconds(start);
        await run.Side.Meter.UntilFollowingAsync(run.Crowd.Size);
        output.WriteLine(
            $"{following} of {run.Crowd.Size} followed at the crash; the next event {first} after the restart, all follow after {Seconds(start)}.");
    }

    private static string Seconds(long start) => $"{Stopwatch.GetElapsedTime(start).TotalSeconds:0.00} s";
}

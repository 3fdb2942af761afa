using System.Diagnostics;
using CrushTest.Databases;
using CrushTest.Engine;

namespace Throttled.Benchmarks.Shards;

/// <summary>A fixed number of clients, for any number of shards. Each client appends one event after the other, to its own ids.</summary>
internal sealed class ShardWrites(ShardDatabases databases, TimeSpan time)
{
    internal const int Clients = 64;

    private const int IdsOfEach = 16;

    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(1);

    private long _committed;
    private volatile bool _isOver;

    internal async Task<ShardRate> RunAsync()
    {
        await using var pools = new AppenderPools(databases);
        var clients = Task.WhenAll(Enumerable.Range(0, Clients).Select(client => Task.Run(() => AppendAsync(pools, client))));
        await Task.WhenAny(clients, Task.Delay(WarmUp));
        var rate = await ShardRate.MeasureAsync(databases, async () =>
        {
            var before = Interlocked.Read(ref _committed);
            await Task.WhenAny(clients, Task.Delay(time));
            return Interlocked.Read(ref _committed) - before;
        });
        _isOver = true;
        await clients;
        return rate;
    }

    private async Task AppendAsync(AppenderPools pools, int client)
    {
        string[] ids = [.. Enumerable.Range(0, IdsOfEach).Select(i => $"device-{client}-{i}")];
        for (var number = 1; ; number++)
        {
            foreach (var id in ids)
            {
                if (_isOver)
                    return;
                await pools.AppendAsync(CrushEvents.Event(CrushPayload.Deposits, id, number));
                Interlocked.Increment(ref _committed);
            }
        }
    }
}

/// <summary>The rate of some work, and its cost.</summary>
/// <param name="Cpu">Microseconds of this process's processor time per event.</param>
/// <param name="ServersCpu">Microseconds of all servers' processor time per event.</param>
internal sealed record ShardRate(double PerSecond, double Cpu, double ServersCpu)
{
    /// <param name="run">Does the work, and returns the number of events.</param>
    internal static async Task<ShardRate> MeasureAsync(ShardDatabases databases, Func<Task<long>> run)
    {
        var servers = await databases.CpuAsync();
        var (cpu, watch) = (RoundTime.ProcessorTime(), Stopwatch.StartNew());
        var events = await run();
        var (seconds, used) = (watch.Elapsed.TotalSeconds, RoundTime.ProcessorTime() - cpu);
        return new(events / seconds, used.TotalMicroseconds / events, (await databases.CpuAsync() - servers) * 1e6 / events);
    }

    internal static ShardRate Median(IReadOnlyCollection<ShardRate> rounds) => new(
        Figures.Median(rounds.Select(round => round.PerSecond)),
        Figures.Median(rounds.Select(round => round.Cpu)),
        Figures.Median(rounds.Select(round => round.ServersCpu)));
}

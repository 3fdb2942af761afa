using System.Diagnostics;
using Akka.Actor;
using Akka.Persistence.Query.Throttled.Permits;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Benchmarks;

/// <summary>
/// Measures permits per second, through the ledger alone and through the actor. Each permit is requested, granted and returned on a journal's loop, as
/// in the engine.
/// </summary>
internal static class PermitRate
{
    private const int Permits = 100;
    private const int Requests = 5_000_000;
    private const int Runs = 5;

    private static readonly int[] Counts = [100, 1_000, 100_000];

    internal static async Task RunAsync()
    {
        using var system = ActorSystem.Create("benchmark");
        List<string> table = ["| slots in the queue | through the ledger | through the actor |", "|---:|---:|---:|"];
        foreach (var slots in Counts)
        {
            var ledger = await MedianAsync(() => Task.FromResult(Ledger(slots)));
            var actor = await MedianAsync(() => ActorAsync((ExtendedActorSystem)system, slots));
            table.Add($"| {slots:N0} | {ledger / 1e6:N1} | {actor / 1e6:N2} |");
        }
        Results.Write(
            "permits.md",
            "Permits through the ledger and through the QueryThrottler actor",
            $"Millions of permits per second, each requested, granted and returned: through the ledger alone on one thread, and by messages through the actor that owns it, from the journal's loop and back to it. {Permits} permits; each request waits in a queue of all slots. The median of {Runs} runs, in one process. `./build.sh bench permits`",
            table);
        await system.Terminate();
    }

    // The first run is a warm-up for the JIT compiler.
    private static async Task<double> MedianAsync(Func<Task<double>> measure)
    {
        await measure();
        var rates = new List<double>();
        for (var run = 0; run < Runs; run++)
            rates.Add(await measure());
        return Figures.Median(rates);
    }

    private static double Ledger(int count)
    {
        var ledger = new PermitLedger(Permits);
        var slots = Enumerable.Range(0, count).Select(_ => new StatementSlot(static _ => { })).ToArray();
        foreach (var slot in slots)
            ledger.Request(slot);
        var watch = Stopwatch.StartNew();
        // Slots are granted first come, first served, so they are returned in this order.
        for (var i = 0; i < Requests; i++)
        {
            var slot = slots[i % count];
            ledger.Return(slot);
            ledger.Request(slot);
        }
        return Requests / watch.Elapsed.TotalSeconds;
    }

    private static async Task<double> ActorAsync(ExtendedActorSystem system, int count)
    {
        var loop = new JournalLoop(TimeProvider.System, new ThreadPoolScheduler(), defect => Environment.FailFast("The loop failed.", defect));
        using var permits = new ActorPermits(loop, grant => system.SystemActorOf(
            QueryThrottler.Props(new()
            {
                Ledger = new(Permits),
                Tokens = null,
                Now = () => loop.Now,
                Grant = grant,
                Stopped = () => { },
            }),
            $"throttler-{Guid.NewGuid():N}"));
        var round = new Round(permits, Requests);
        var watch = Stopwatch.StartNew();
        loop.Post(_ => round.Start(count), round);
        await round.Ended;
        return Requests / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Statements that end as soon as they begin. Others then enter the queue. Runs on the loop.</summary>
    private sealed class Round(ActorPermits permits, int requests)
    {
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _granted;

        internal Task Ended => _ended.Task;

        internal void Start(int count)
        {
            for (var i = 0; i < count; i++)
                permits.Request(new(Granted));
        }

        private void Granted(StatementSlot slot)
        {
            permits.Return(slot);
            _granted++;
            if (_granted == requests)
                _ended.SetResult();
            if (_granted < requests)
                permits.Request(new(Granted));
        }
    }
}

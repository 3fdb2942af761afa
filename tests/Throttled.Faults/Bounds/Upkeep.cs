using System.Globalization;
using Throttled.Faults.World;

namespace Throttled.Faults.Bounds;

/// <summary>The costs of a run at one moment: while nothing is written, and for each event while events are written.</summary>
/// <param name="Bytes">The heap, without the ledger of the test and without buffered rows.</param>
/// <param name="Threads">The threads of the process.</param>
/// <param name="Handles">The open files, sockets and other handles of the process.</param>
/// <param name="Idle">Statements per poll while nothing is written: the poll itself.</param>
/// <param name="Busy">Statements per event while events are written and nothing is broken.</param>
internal sealed record Upkeep(long Bytes, ThreadCount Threads, int Handles, double Idle, double Busy)
{
    private const int Polls = 20;

    // The number of pooled connections and threads changes by itself.
    private const int MoreHandles = 16;
    private const int MoreThreads = 8;

    // The memory of lists and pools that are filled once, and the allowed memory of each query.
    private const long BytesOnce = 2 * 1024 * 1024;
    private const long BytesEach = 64;

    /// <summary>Measures a run in which nothing is broken.</summary>
    internal static async Task<Upkeep> OfAsync(FaultRun run)
    {
        var busy = await BusyAsync(run);
        await run.RestAsync();
        await run.UntilFollowingAsync();
        var idle = await IdleAsync(run);
        var upkeep = new Upkeep(Heap.Kept() - run.Ledger.Bytes - run.Meter.Buffered, ThreadCount.Now(), OpenHandles(), idle, busy);
        run.GoOn();
        return upkeep;
    }

    /// <summary>Asserts that nothing has grown since an earlier measurement.</summary>
    internal void HasNotGrownSince(Upkeep first, int queries)
    {
        Assert.InRange(Bytes - first.Bytes, long.MinValue, BytesOnce + (BytesEach * queries));
        Assert.InRange(Threads.All, 1, first.Threads.All + MoreThreads);
        Assert.InRange(Handles, 1, first.Handles + MoreHandles);
        Assert.Equal((1.0, 1.0), (first.Idle, Idle));
        Assert.InRange(Busy, 0, 1.5 * first.Busy);
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Bytes:n0} bytes, {Threads}, {Handles} handles, {Idle:0.00} statements a poll when idle, {Busy:0.000} an event when not");

    private static async Task<double> BusyAsync(FaultRun run)
    {
        var (statements, events) = (run.Meter.Statements, run.Ledger.Count);
        await run.Meter.MoreAsync(10 * Polls, "keys");
        await run.UntilFollowingAsync();
        return (run.Meter.Statements - statements) / (double)(run.Ledger.Count - events);
    }

    // A page statement may still be in flight; it ends before the second poll of the tail.
    private static async Task<double> IdleAsync(FaultRun run)
    {
        await run.Meter.MoreAsync(2, "keys");
        await run.UntilFollowingAsync();
        var (statements, polls) = (run.Meter.Statements, run.Meter.Of("keys"));
        await run.Meter.MoreAsync(Polls, "keys");
        return (run.Meter.Statements - statements) / (double)(run.Meter.Of("keys") - polls);
    }

    private static int OpenHandles()
    {
        using var process = System.Diagnostics.Process.GetCurrentProcess();
        return process.HandleCount;
    }
}

using System.Diagnostics;
using Throttled.Journal.Permits;

namespace Throttled.Benchmarks;

/// <summary>Permit requests per second through the ledger, with very many slots in line all the time.</summary>
internal static class LedgerRate
{
    private const int Permits = 100;
    private const int Requests = 20_000_000;

    internal static void Run()
    {
        int[] counts = [100, 1_000, 100_000];
        foreach (var slots in counts)
            Measure(slots, Requests / 10);
        Results.Write(
            "ledger.md",
            "Permit requests through the ledger",
            $"{Permits} permits; each request waits its turn among all slots. One thread, as on the journal's loop. `./build.sh bench ledger`",
            ["| slots in line | million requests per second |", "|---:|---:|", .. counts.Select(slots => $"| {slots:N0} | {Measure(slots, Requests) / 1e6:N1} |")]);
    }

    private static double Measure(int count, int requests)
    {
        var ledger = new PermitLedger(Permits);
        var slots = Enumerable.Range(0, count).Select(_ => new StatementSlot(static _ => { })).ToArray();
        foreach (var slot in slots)
            ledger.Request(slot);
        var watch = Stopwatch.StartNew();
        // First come, first served: they are granted, and so give back, in the order in which they stand here.
        for (var i = 0; i < requests; i++)
        {
            var slot = slots[i % count];
            ledger.Return(slot);
            ledger.Request(slot);
        }
        return requests / watch.Elapsed.TotalSeconds;
    }
}

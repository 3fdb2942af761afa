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
        foreach (var slots in new[] { 100, 1_000, 100_000 })
        {
            Measure(slots, Requests / 10);
            Console.WriteLine($"{slots,9:N0} slots, {Permits} permits: {Measure(slots, Requests) / 1e6,6:N1} million requests/s");
        }
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

using System.Numerics;

namespace DigitalTwins.Load;

/// <summary>Counts latencies in microseconds, in steps of at most 1/32 of the latency. Thread-safe.</summary>
internal sealed class LatencyCounts
{
    // Below 64, each latency has its own step. From there, each power of two has 32 steps.
    private const int StepBits = 5;
    private const int Exact = 1 << (StepBits + 1);

    private readonly long[] _counts = new long[IndexOf(long.MaxValue) + 1];
    private long _count;

    internal long Count => Interlocked.Read(ref _count);

    internal void Add(TimeSpan latency)
    {
        Interlocked.Increment(ref _counts[IndexOf(Math.Max(0, latency.Ticks / TimeSpan.TicksPerMicrosecond))]);
        Interlocked.Increment(ref _count);
    }

    /// <summary>The latency that this share of the requests did not exceed, in milliseconds; 0 if there are none.</summary>
    /// <param name="share">Above 0, at most 1.</param>
    internal double Percentile(double share)
    {
        var rank = (long)Math.Ceiling(share * Count);
        for (var (index, seen) = (0, 0L); index < _counts.Length; index++)
        {
            seen += _counts[index];
            if (seen >= rank && seen > 0)
                return MostOf(index) / 1e3;
        }
        return 0;
    }

    private static int IndexOf(long microseconds)
    {
        if (microseconds < Exact)
            return (int)microseconds;
        var shift = BitOperations.Log2((ulong)microseconds) - StepBits;
        return (shift << StepBits) + (int)(microseconds >> shift);
    }

    // The largest latency of a step.
    private static long MostOf(int index)
    {
        if (index < Exact)
            return index;
        var shift = (index >> StepBits) - 1;
        return ((((long)index & ((1 << StepBits) - 1)) + (1 << StepBits) + 1) << shift) - 1;
    }
}

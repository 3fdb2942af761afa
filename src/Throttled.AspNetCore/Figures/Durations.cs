namespace Throttled.AspNetCore.Figures;

/// <summary>The durations that were measured since the last read. The percentiles are up to 20 % above the real values.</summary>
/// <param name="Count">The number of measurements.</param>
/// <param name="Median">The median, in seconds.</param>
/// <param name="P99">The 99th percentile, in seconds.</param>
internal sealed record DurationSummary(long Count, double Median, double P99);

/// <summary>Counts durations in buckets from 0.1 ms to 4 minutes. The upper bound of each bucket is 20 % above that of the one below. Thread-safe.</summary>
internal sealed class Durations
{
    private const double Least = 0.0001;
    private const double Growth = 1.2;
    private const int Buckets = 82;

    private readonly long[] _buckets = new long[Buckets];

    internal void Record(double seconds) => Interlocked.Increment(ref _buckets[BucketOf(seconds)]);

    /// <summary>The durations since the last call; null if there were none.</summary>
    internal DurationSummary? Take()
    {
        var counts = new long[_buckets.Length];
        for (var i = 0; i < counts.Length; i++)
            counts[i] = Interlocked.Exchange(ref _buckets[i], 0);
        var count = counts.Sum();
        return count == 0 ? null : new(count, At(counts, count * 0.5), At(counts, count * 0.99));
    }

    private static int BucketOf(double seconds) =>
        seconds <= Least ? 0 : Math.Min(Buckets - 1, (int)Math.Ceiling(Math.Log(seconds / Least) / Math.Log(Growth)));

    private static double At(long[] counts, double rank)
    {
        var (bucket, below) = (0, 0L);
        while ((below += counts[bucket]) < rank)
            bucket++;
        return Least * Math.Pow(Growth, bucket);
    }
}

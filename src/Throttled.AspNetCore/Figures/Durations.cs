namespace Throttled.AspNetCore.Figures;

/// <summary>How long something took since the last look.</summary>
/// <param name="Count">How often it was measured.</param>
/// <param name="Median">Half of the times were at most this long, in seconds, to a fifth.</param>
/// <param name="P99">99 of 100 times were at most this long, in seconds, to a fifth.</param>
internal sealed record DurationLook(long Count, double Median, double P99);

/// <summary>Counts durations in buckets from 0.1 ms to some minutes, each a fifth wider than the one below. Thread-safe.</summary>
internal sealed class Durations
{
    private const double Least = 0.0001;
    private const double Growth = 1.2;

    private readonly long[] _buckets = new long[82];

    internal void Record(double seconds) => Interlocked.Increment(ref _buckets[BucketOf(seconds)]);

    /// <summary>The times since the last call; null if there were none.</summary>
    internal DurationLook? Take()
    {
        var counts = new long[_buckets.Length];
        for (var i = 0; i < counts.Length; i++)
            counts[i] = Interlocked.Exchange(ref _buckets[i], 0);
        var count = counts.Sum();
        return count == 0 ? null : new(count, At(counts, count * 0.5), At(counts, count * 0.99));
    }

    private static int BucketOf(double seconds) =>
        seconds <= Least ? 0 : Math.Min(81, (int)Math.Ceiling(Math.Log(seconds / Least) / Math.Log(Growth)));

    private static double At(long[] counts, double rank)
    {
        var (bucket, below) = (0, 0L);
        while ((below += counts[bucket]) < rank)
            bucket++;
        return Least * Math.Pow(Growth, bucket);
    }
}

using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>Compares the lag of a version with that of a minute ago, or with the first known lag.</summary>
internal sealed class LagTrend
{
    private static readonly TimeSpan Window = TimeSpan.FromMinutes(1);

    private readonly Dictionary<string, Queue<(TimeSpan At, long Lag)>> _samples = new(StringComparer.Ordinal);

    /// <summary>Stores the lag, and describes how it has changed.</summary>
    /// <param name="version">The version.</param>
    /// <param name="lag">Its lag in events; null if it is not known.</param>
    /// <param name="at">The time since the watch began.</param>
    /// <returns>Null if no earlier lag of the version is known.</returns>
    internal string? Take(string version, long? lag, TimeSpan at)
    {
        if (lag is not { } now)
        {
            _samples.Remove(version);
            return null;
        }
        if (!_samples.TryGetValue(version, out var samples))
            _samples[version] = samples = new();
        samples.Enqueue((at, now));
        while (at - samples.Peek().At > Window)
            samples.Dequeue();
        var first = samples.Peek();
        return at <= first.At ? null : Text(now - first.Lag, at - first.At);
    }

    private static string Text(long change, TimeSpan time) => change switch
    {
        0 => Invariant($"the lag is the same as {time.TotalSeconds:N0} s ago"),
        < 0 => Invariant($"the lag falls by {-change / time.TotalSeconds:N1} events/s"),
        _ => Invariant($"the lag grows by {change / time.TotalSeconds:N1} events/s"),
    };
}

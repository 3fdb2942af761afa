using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>Compares the lag of a version with that of a minute ago, or of the first look.</summary>
internal sealed class LagTrend
{
    private static readonly TimeSpan Window = TimeSpan.FromMinutes(1);

    private readonly Dictionary<string, Queue<(TimeSpan At, long Lag)>> _looks = new(StringComparer.Ordinal);

    /// <summary>Takes a look, and describes how the lag has changed.</summary>
    /// <param name="version">The version.</param>
    /// <param name="lag">Its lag in events; null if nobody knows.</param>
    /// <param name="at">The time since the first look of all.</param>
    /// <returns>Null after the first look of a version.</returns>
    internal string? Take(string version, long? lag, TimeSpan at)
    {
        if (lag is not { } now)
        {
            _looks.Remove(version);
            return null;
        }
        if (!_looks.TryGetValue(version, out var looks))
            _looks[version] = looks = new();
        looks.Enqueue((at, now));
        while (at - looks.Peek().At > Window)
            looks.Dequeue();
        var first = looks.Peek();
        return at <= first.At ? null : Text(now - first.Lag, at - first.At);
    }

    private static string Text(long change, TimeSpan time) => change switch
    {
        0 => Invariant($"the lag is the same as {time.TotalSeconds:N0} s ago"),
        < 0 => Invariant($"the lag falls by {-change / time.TotalSeconds:N1} events/s"),
        _ => Invariant($"the lag grows by {change / time.TotalSeconds:N1} events/s"),
    };
}

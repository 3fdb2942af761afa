namespace Throttled.Journal.Loop;

/// <summary>
/// The delay before the next attempt: it doubles, has a maximum, and half of it is random ("equal jitter", Marc Brooker, "Exponential Backoff And
/// Jitter", 2015). Random delays keep clients that failed together from retrying together.
/// </summary>
internal static class BackOff
{
    /// <summary>This many failures in a row take about 20 s. Then a warning is logged.</summary>
    internal const int Many = 10;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(5);

    /// <param name="attempt">The number of failed attempts before this one, from 0.</param>
    /// <param name="random">A random number from 0 to 1.</param>
    internal static TimeSpan Delay(int attempt, double random)
    {
        var doubled = First * Math.Pow(2, Math.Min(attempt, 20));
        var whole = doubled < Most ? doubled : Most;
        return whole * (0.5 + (random / 2));
    }
}

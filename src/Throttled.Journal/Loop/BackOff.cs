namespace Throttled.Journal.Loop;

/// <summary>
/// How long to wait before the next attempt: doubling, capped, half of it at random ("equal jitter", Marc Brooker,
/// "Exponential Backoff And Jitter", 2015), so that many who fell together do not come back together.
/// </summary>
internal static class BackOff
{
    /// <summary>So many failures in a row take some twenty seconds, and then somebody should know.</summary>
    internal const int Many = 10;

    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(5);

    /// <param name="attempt">How many attempts failed before, from 0.</param>
    /// <param name="random">From 0 to 1.</param>
    internal static TimeSpan Delay(int attempt, double random)
    {
        var doubled = First * Math.Pow(2, Math.Min(attempt, 20));
        var whole = doubled < Most ? doubled : Most;
        return whole * (0.5 + (random / 2));
    }
}

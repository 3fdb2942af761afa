using System.Diagnostics;

namespace CrushTest.Engine;

/// <summary>Waits for queries to come to rest behind the last event.</summary>
/// <param name="measures">The engine's figures.</param>
/// <param name="interval">How often the idle journal is looked at.</param>
internal sealed class Following(Measures measures, TimeSpan interval)
{
    private readonly TimeSpan _settling = TimeSpan.FromSeconds(5) + (2 * interval);

    /// <summary>Waits until every query follows the tail.</summary>
    internal async Task<bool> AllFollowAsync(int queries, CancellationToken cancellation)
    {
        for (var waited = Stopwatch.StartNew(); waited.Elapsed < Progress.Patience;)
        {
            if (measures.Following == queries)
                return true;
            await Task.Delay(50, cancellation);
        }
        return false;
    }

    /// <summary>
    /// Waits until the tail has slowed down to the refresh interval, and then for half of one: its looks while it slows down belong to
    /// the last event. Gives up where somebody else writes all the time.
    /// </summary>
    internal async Task SettleAsync(CancellationToken cancellation)
    {
        var (waited, quiet) = (Stopwatch.StartNew(), Stopwatch.StartNew());
        for (var before = measures.Statements; waited.Elapsed < _settling; await Task.Delay(5, cancellation))
        {
            if (measures.Statements == before)
                continue;
            // A timer may be late by some milliseconds; the pause before the last one is half as long.
            if (quiet.Elapsed > 0.8 * interval)
                break;
            before = measures.Statements;
            quiet.Restart();
        }
        await Task.Delay(interval / 2, cancellation);
    }
}

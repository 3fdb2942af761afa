using System.Diagnostics;

namespace CrushTest.Engine;

/// <summary>Waits until queries are idle after the last event.</summary>
/// <param name="interval">The interval between polls of the idle journal.</param>
internal sealed class Following(Measures measures, TimeSpan interval)
{
    private readonly TimeSpan _settling = TimeSpan.FromSeconds(5) + (2 * interval);

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
    /// Waits until the tail polls only at the refresh interval, and then for half an interval. Faster polls still belong to
    /// the last event. Stops waiting after some time, because something else may write to the journal.
    /// </summary>
    internal async Task SettleAsync(CancellationToken cancellation)
    {
        var (waited, quiet) = (Stopwatch.StartNew(), Stopwatch.StartNew());
        for (var before = measures.Statements; waited.Elapsed < _settling; await Task.Delay(5, cancellation))
        {
            if (measures.Statements == before)
                continue;
            // Compare with 0.8, because a timer may be late by some milliseconds. The pause before this one is only half as long.
            if (quiet.Elapsed > 0.8 * interval)
                break;
            before = measures.Statements;
            quiet.Restart();
        }
        await Task.Delay(interval / 2, cancellation);
    }
}

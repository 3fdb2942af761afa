using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>Repeats statements while the read model's database is unavailable, and reports it.</summary>
internal sealed class StorePatience(LaneParts parts, int lane, LaneBoard board, LanePauses pauses)
{
    private int _failures;

    /// <summary>Asks until there is an answer.</summary>
    /// <exception cref="FencedException">That is an answer.</exception>
    internal async Task<T> AskAsync<T>(Func<Task<T>> ask, CancellationToken cancellation)
    {
        try
        {
            while (true)
            {
                try
                {
                    var answer = await ask().ConfigureAwait(false);
                    Recovered();
                    return answer;
                }
                catch (Exception error) when (error is not FencedException && !cancellation.IsCancellationRequested)
                {
                    board.StoreIs(ErrorText.Of(error));
                    parts.News.Retrying(lane, error);
                    await pauses.WaitAsync(_failures++).ConfigureAwait(false);
                }
            }
        }
        catch (FencedException)
        {
            Recovered();
            throw;
        }
        finally
        {
            // It is stopped before there was an answer.
            if (_failures > 0)
                parts.News.GaveUp(lane);
        }
    }

    private void Recovered()
    {
        if (_failures == 0)
            return;
        parts.News.Recovered(lane);
        _failures = 0;
        board.StoreIs(null);
    }
}

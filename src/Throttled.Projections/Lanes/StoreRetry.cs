using Throttled.Journal.Loop;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Lanes;

internal sealed class StoreRetry(LaneContext context, int lane, LaneHealth health, RetryDelays delays)
{
    private int _failures;

    internal async Task<T> ExecuteAsync<T>(Func<Task<T>> call, CancellationToken cancellation)
    {
        try
        {
            while (true)
            {
                try
                {
                    var answer = await call().ConfigureAwait(false);
                    Recovered();
                    return answer;
                }
                catch (Exception error) when (error is not FencedException && !cancellation.IsCancellationRequested)
                {
                    health.StoreIs(ErrorText.Of(error));
                    context.Telemetry.Retrying(lane, error);
                    await delays.WaitAsync(_failures++).ConfigureAwait(false);
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
            // The lane stopped before the database answered.
            if (_failures > 0)
                context.Telemetry.RetryEnded(lane);
        }
    }

    private void Recovered()
    {
        if (_failures == 0)
            return;
        context.Telemetry.Recovered(lane);
        _failures = 0;
        health.StoreIs(null);
    }
}

internal sealed class RetryDelays(LaneContext context, CancellationToken stopping)
{
    internal Task WaitAsync(int failures) => Task.Delay(BackOff.Delay(failures, context.Random()), context.Time, stopping);
}

using Throttled.Journal.Loop;
using Throttled.Projections.Failures;

namespace Throttled.Projections.Lanes;

/// <summary>Gives one event to a handler that takes them one by one; faults that pass are waited for.</summary>
internal static class SingleHandling
{
    internal static async Task<EventFailure?> TryAsync(
        LaneParts parts, SingleHandler handler, ProjectionEvent handed, LanePauses pauses, CancellationToken cancellation)
    {
        for (var faults = 0; ; faults++)
        {
            try
            {
                await handler.HandleAsync(handed, parts.Target, cancellation).ConfigureAwait(false);
                return null;
            }
            catch (Exception error) when (!cancellation.IsCancellationRequested)
            {
                if (faults >= BackOff.Many || !parts.Store.IsTransient(error))
                    return new(error, handed.Ordering, false);
            }
            await pauses.WaitAsync(faults).ConfigureAwait(false);
        }
    }
}

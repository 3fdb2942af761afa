namespace Throttled.Projections.Handlers;

internal static class OneByOne
{
    /// <summary>Handles the events of a batch, each by itself. Returns those for which the transaction was not used.</summary>
    internal static async Task<IReadOnlyList<ProjectionEvent>> HandleAsync(ProjectionBatch batch, Func<ProjectionEvent, Task> handle, CancellationToken cancellation)
    {
        List<ProjectionEvent> untaken = [];
        foreach (var each in batch)
        {
            cancellation.ThrowIfCancellationRequested();
            (batch.IsUsed, batch.IsMerged) = (false, false);
            try
            {
                await handle(each).ConfigureAwait(false);
            }
            catch (Exception error) when (error is not EventFailedException && !cancellation.IsCancellationRequested)
            {
                throw new EventFailedException(each.Ordering, error);
            }
            if (!batch.IsUsed && !batch.IsMerged)
                untaken.Add(each);
        }
        return untaken;
    }
}

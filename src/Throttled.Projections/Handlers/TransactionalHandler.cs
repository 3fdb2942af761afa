namespace Throttled.Projections;

/// <summary>
/// Handles one event at a time in the transaction that also stores its offset. Effects that are written in that transaction happen exactly once for
/// each event. A transaction has up to <see cref="ProjectionOptions.BatchSize"/> events.
/// </summary>
/// <remarks>
/// Lanes run at the same time, each in its own transaction. The remarks of <see cref="BatchHandler"/> about rows that several persistence ids share
/// apply here too. An event for which the handler does not use the transaction counts as unhandled.
/// </remarks>
public abstract class TransactionalHandler : ProjectionHandler
{
    /// <summary>
    /// Writes the effects of an event. If it throws, the transaction is rolled back, the events before it are handled again in a transaction of their
    /// own, and the failed event is tried alone. <see cref="ProjectionOptions.OnFailure"/> decides what happens to it in the end. Transient faults of the
    /// transaction's own database are repeated. Faults of anything else that the handler uses count as its own.
    /// </summary>
    /// <param name="event">The event.</param>
    /// <param name="transaction">The transaction of this event and of others before and after it.</param>
    /// <param name="cancellationToken">As in <see cref="BatchHandler.HandleAsync"/>.</param>
    public abstract Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken);

    internal sealed override async Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        List<ProjectionEvent> untaken = [];
        foreach (var each in batch)
        {
            cancellation.ThrowIfCancellationRequested();
            (batch.IsUsed, batch.IsMerged) = (false, false);
            await HandleAsync(batch, each, cancellation).ConfigureAwait(false);
            if (!batch.IsUsed && !batch.IsMerged)
                untaken.Add(each);
        }
        return untaken;
    }

    private async Task HandleAsync(ProjectionBatch batch, ProjectionEvent handled, CancellationToken cancellation)
    {
        try
        {
            await HandleAsync(handled, batch, cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (error is not EventFailedException && !cancellation.IsCancellationRequested)
        {
            throw new EventFailedException(handled.Ordering, error);
        }
    }
}

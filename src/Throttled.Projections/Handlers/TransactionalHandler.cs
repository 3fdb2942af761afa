using Throttled.Projections.Handlers;

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

    internal sealed override Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation) =>
        OneByOne.HandleAsync(batch, handled => HandleAsync(handled, batch, cancellation), cancellation);
}

/// <summary>
/// Handles one event at a time as <see cref="TransactionalHandler"/> does, with look-ups that were made for the whole batch at once.
/// </summary>
/// <typeparam name="TLookups">The results of the look-ups, for example a dictionary of products.</typeparam>
public abstract class TransactionalHandler<TLookups> : ProjectionHandler
{
    /// <summary>
    /// Looks up what the events of a batch need, so no event needs a query of its own. Called once for each transaction, before its first event, and again
    /// for each smaller part of the batch after a failure. If it throws, the batch is tried in halves until the failing event is found.
    /// </summary>
    /// <param name="batch">The events and their transaction. What is read in the transaction is as the lane's own writes have left it.</param>
    /// <param name="cancellationToken">As in <see cref="BatchHandler.HandleAsync"/>.</param>
    public abstract Task<TLookups> EnrichAsync(ProjectionBatch batch, CancellationToken cancellationToken);

    /// <inheritdoc cref="TransactionalHandler.HandleAsync"/>
    /// <param name="event">The event.</param>
    /// <param name="lookups">What <see cref="EnrichAsync"/> returned for the batch. It was read before the first event of the batch was handled.</param>
    /// <param name="transaction">The transaction of this event and of others before and after it.</param>
    /// <param name="cancellationToken">As in <see cref="BatchHandler.HandleAsync"/>.</param>
    public abstract Task HandleAsync(ProjectionEvent @event, TLookups lookups, ReadModelTransaction transaction, CancellationToken cancellationToken);

    internal sealed override async Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        var lookups = await EnrichAsync(batch, cancellation).ConfigureAwait(false);
        return await OneByOne.HandleAsync(batch, handled => HandleAsync(handled, lookups, batch, cancellation), cancellation).ConfigureAwait(false);
    }
}

namespace Throttled.Projections;

/// <summary>
/// Handles a batch in the transaction that also stores its offset. Effects that are written in that transaction happen exactly once for each event.
/// </summary>
/// <remarks>
/// Lanes run at the same time, each in its own transaction, on PostgreSQL at READ COMMITTED. The events of one persistence id are in one lane, so a row
/// that only they change is safe. A row that several persistence ids share is not: a handler that reads it, changes it in memory and writes it back
/// loses what another lane writes in between. Let the database add (<see cref="MergeTable{TRow}"/>), or lock the row first (<c>SELECT … FOR UPDATE</c>).
/// <para>
/// If a handler does not use a batch's transaction, its events count as unhandled. If it never uses it, the health check is Degraded. A handler that
/// writes elsewhere marks the events as handled with <c>_ = batch.Transaction;</c>, and reports the others with <see cref="ProjectionBatch.Unhandled"/>.
/// </para>
/// </remarks>
public abstract class BatchHandler : ProjectionHandler
{
    /// <summary>
    /// Writes the effects of a batch. If it throws, the transaction is rolled back, and the batch is tried in halves until the failing event is
    /// found. <see cref="ProjectionOptions.OnFailure"/> decides what happens to that event. Transient faults of the transaction's own database are
    /// repeated. Faults of anything else that the handler uses count as its own.
    /// </summary>
    /// <param name="batch">The events and the transaction.</param>
    /// <param name="cancellationToken">Cancelled when a stop waits no longer: 5 s after the stop began, or when the token of
    /// <see cref="Projection.StopAsync"/> is cancelled, or at the host's shutdown time-out. The transaction is rolled back. The beginning of a stop
    /// and the loss of the lane do not cancel it.</param>
    /// <exception cref="EventFailedException">Names the event that fails, so the projection need not search for it.</exception>
    public abstract Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken);
}

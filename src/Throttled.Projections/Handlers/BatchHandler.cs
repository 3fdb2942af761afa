namespace Throttled.Projections;

/// <summary>
/// Handles a batch in the transaction in which its offset is stored: each event has its effect exactly once, as far as the effect is written
/// in that transaction.
/// </summary>
/// <remarks>
/// Lanes run at once, each in a transaction of its own, on PostgreSQL at READ COMMITTED. The events of one persistence id are in one lane, and so a row that
/// only they change is safe. Of a row that several persistence ids share, reading it, changing it in memory and writing it back loses what another lane
/// writes meanwhile: let the database add (<see cref="MergeTable{TRow}"/>), or lock the row first (<c>SELECT … FOR UPDATE</c>).
/// <para>
/// A handler that does not touch a batch's transaction counts as one that did nothing with its events, and where it never does the health check is Degraded. One that
/// writes elsewhere says that it took them by <c>_ = batch.Transaction;</c>, and names those that it did not take by <see cref="ProjectionBatch.Unhandled"/>.
/// </para>
/// </remarks>
public abstract class BatchHandler : ProjectionHandler
{
    /// <summary>
    /// Writes the effects of a batch. Where it throws, the transaction is rolled back, and the batch is tried in halves until the event that
    /// fails is known; <see cref="ProjectionOptions.OnFailure"/> says what becomes of that event. Faults of the transaction's own database that pass are waited for;
    /// those of anything else that the handler uses are the handler's.
    /// </summary>
    /// <param name="batch">The events and the transaction.</param>
    /// <param name="cancellationToken">
    /// Cancelled where a stop waits no longer: 5 s after it began, or when the token of <see cref="Projection.StopAsync"/> is cancelled or the host's
    /// shutdown time-out is over. The transaction is rolled back. Neither the begin of a stop nor the loss of the lane cancels it.
    /// </param>
    /// <exception cref="EventFailedException">Names the event that fails, so that it need not be searched for.</exception>
    public abstract Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken);
}

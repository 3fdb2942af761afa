using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Handles the events of a projection. Derive from <see cref="EntityStateHandler{TState}"/>, <see cref="TransactionalHandler"/>, <see cref="BatchHandler"/> or
/// <see cref="AtLeastOnceHandler"/>, or build one from functions with <see cref="HandlerBuilder"/>. All lanes use one instance at the same time.
/// </summary>
public abstract class ProjectionHandler
{
    private protected ProjectionHandler()
    {
    }

    /// <summary>
    /// Brings a read model to its state before the first event: creates tables that do not exist, and empties existing ones. Called when a version is
    /// new, and when it is reset to the start. Does nothing by default.
    /// </summary>
    /// <param name="scope">The read model, whether it is live, and the transaction that sets its offsets to the start.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Called when a rebuilt read model replaces the live one. Switch readers to it, for example with a view or by renaming tables. Does nothing by
    /// default.
    /// </summary>
    /// <param name="from">The version that was live.</param>
    /// <param name="to">The version that becomes live, and the transaction in which it does.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Removes a read model that is not live: a retired one, or an abandoned rebuild. Does nothing by default.</summary>
    /// <param name="scope">The read model, and the transaction that removes its offsets.</param>
    /// <param name="cancellationToken">Cancelled when the projection stops.</param>
    public virtual Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Delivers events outside the transaction; null if the handler writes in it.</summary>
    internal virtual IDelivery? Delivery => null;

    /// <summary>Writes the effects of a batch in its transaction. Returns the unhandled events.</summary>
    internal abstract Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation);
}

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

    internal sealed override async Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        await HandleAsync(batch, cancellation).ConfigureAwait(false);
        return [.. batch.Untaken];
    }
}

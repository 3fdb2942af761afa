using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Keeps one row for each persistence id, with the state that its events make: exactly once. The states of a batch are loaded with one statement and saved
/// with one. On SQLite, each is a prepared statement that runs once for each row. By default the row has the state as JSON.
/// <code>
/// internal sealed class Orders : EntityStateHandler&lt;Order>
/// {
///     public override Order? Apply(Order? state, ProjectionEvent @event) => @event.Payload switch
///     {
///         Placed placed => new Order(placed.Product, IsShipped: false),
///         Shipped when state is not null => state with { IsShipped = true },
///         Cancelled => null,
///         _ => state,
///     };
/// }
/// </code>
/// </summary>
/// <remarks>
/// The table has the name of the version, which is the projection's name unless it was rebuilt. <see cref="PrepareAsync"/> creates it and
/// <see cref="DropAsync"/> drops it. All events of a persistence id are in one lane, so no other lane reads or writes its row.
/// <para>
/// The row has the sequence number of the last event that was applied. Events up to it are passed over. So a reset to an ordering or a time changes
/// no row that is still there. To compute all states again, reset to the start or rebuild.
/// </para>
/// </remarks>
/// <typeparam name="TState">The state of an entity. Its JSON must contain all that <see cref="Apply"/> needs.</typeparam>
public abstract class EntityStateHandler<TState> : ProjectionHandler
    where TState : class
{
    private readonly EntityTable<TState> _table;

    /// <summary>A handler with a table.</summary>
    /// <param name="table">Describes the table. By default the state is stored as System.Text.Json writes it, without further columns.</param>
    protected EntityStateHandler(EntityTable<TState>? table = null) => _table = table ?? new();

    /// <summary>
    /// Returns the state after an event. It must depend on nothing but its arguments: the event is applied again if the transaction is rolled back. An
    /// event counts as unhandled if there was no state before it and is none after it, or if it was passed over and is no replay. If the method throws,
    /// <see cref="ProjectionOptions.OnFailure"/> decides.
    /// </summary>
    /// <param name="state">The state before the event; null if the entity has no row. It may be changed and returned.</param>
    /// <param name="event">The event.</param>
    /// <returns>The state that is stored; null deletes the row.</returns>
    public abstract TState? Apply(TState? state, ProjectionEvent @event);

    /// <summary>Creates the table if it does not exist, and empties it. If you override it, call it first; then add what else is needed, such as an index.</summary>
    /// <inheritdoc/>
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(scope);
        return _table.CreateAsync(scope, cancellationToken);
    }

    /// <summary>Drops the table of a version that is not live. If you override it, first drop what depends on the table, then call it.</summary>
    /// <inheritdoc/>
    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(scope);
        return EntityTable<TState>.DropAsync(scope, cancellationToken);
    }

    internal sealed override async Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        var rows = await _table.LoadAsync(batch, cancellation).ConfigureAwait(false);
        List<ProjectionEvent> unhandled = [];
        foreach (var each in batch)
        {
            // After a reset, events that come again are passed over. Any other such event is in the journal twice, or its id was purged and used again.
            var change = rows[each.PersistenceId].Apply(each, Apply);
            if (change == EntityChange.Nothing || (change == EntityChange.AppliedBefore && !each.IsReplay))
                unhandled.Add(each);
        }
        await _table.SaveAsync(batch, rows.Values, cancellation).ConfigureAwait(false);
        return unhandled;
    }
}

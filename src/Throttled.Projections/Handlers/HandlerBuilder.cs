using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Builds a handler from functions instead of a class. All functions are of one kind: <see cref="Event{T}"/> as in <see cref="TransactionalHandler"/>,
/// <see cref="Batch"/> as in <see cref="BatchHandler"/>, <see cref="AtLeastOnce{T}"/> as in <see cref="AtLeastOnceHandler"/>, or
/// <see cref="Entity{TState}"/> as in <see cref="EntityStateHandler{TState}"/>. All lanes call the functions at the same time.
/// <code>
/// services.AddProjection("orders", on => on.Event&lt;Placed>((placed, transaction, cancellation) => transaction.ExecuteAsync(
///     "INSERT INTO orders (id, product) VALUES (@id, @product)", cancellation, ("id", placed.PersistenceId), ("product", placed.Payload.Product))));
/// </code>
/// </summary>
public sealed class HandlerBuilder
{
    private const string Kinds = $"'{nameof(Event)}', '{nameof(Batch)}', '{nameof(AtLeastOnce)}' or '{nameof(Entity)}'";

    private readonly EventFunctions<ReadModelTransaction> _events = new();
    private readonly EventFunctions<string> _atLeastOnce = new();
    private Func<ProjectionBatch, CancellationToken, Task>? _batch;
    private ProjectionHandler? _entity;
    private FunctionHooks _hooks = new();
    private bool _refusesOthers;
    private bool _runsInRebuild;
    private Func<ProjectionBatch, CancellationToken, Task<object?>>? _eventLookUp;
    private Func<IReadOnlyList<ProjectionEvent>, string, CancellationToken, Task<object?>>? _deliveryLookUp;

    /// <summary>
    /// Handles events of a type in the transaction that also stores their offset: exactly once. An event goes to the function of its payload's type.
    /// If there is none, it goes to the function of the nearest base class, or else to that of the first added interface that the payload implements.
    /// A function for <see cref="object"/> gets the rest.
    /// </summary>
    /// <typeparam name="T">The type of the payload.</typeparam>
    /// <exception cref="ArgumentException">The type has a function already.</exception>
    public HandlerBuilder Event<T>(Func<ProjectionEvent<T>, ReadModelTransaction, CancellationToken, Task> handle)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        _events.Add<T>((handled, _, transaction, cancellation) => handle(handled, transaction, cancellation));
        return this;
    }

    /// <summary>
    /// Handles events of a type outside any transaction: at least once. The second argument is the read model's version. Functions are chosen as in
    /// <see cref="Event{T}"/>.
    /// </summary>
    /// <typeparam name="T">The type of the payload.</typeparam>
    /// <exception cref="ArgumentException">The type has a function already.</exception>
    public HandlerBuilder AtLeastOnce<T>(Func<ProjectionEvent<T>, string, CancellationToken, Task> handle)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        _atLeastOnce.Add<T>((handled, _, version, cancellation) => handle(handled, version, cancellation));
        return this;
    }

    /// <summary>
    /// Looks up what the events of a batch need, before its first event, as <see cref="TransactionalHandler{TLookups}.EnrichAsync"/> does. Call it last, and
    /// then <see cref="EventLookUp{TLookups}.Event{T}"/> for each type of events that needs the result.
    /// <code>
    /// on.LookUp((batch, cancellation) => Names.OfAsync(batch, cancellation))
    ///     .Event&lt;Placed>((placed, names, transaction, cancellation) => transaction.ExecuteAsync(…));
    /// </code>
    /// </summary>
    /// <typeparam name="TLookups">The results of the look-ups, for example a dictionary of products.</typeparam>
    /// <exception cref="InvalidOperationException">There is a look-up already.</exception>
    public EventLookUp<TLookups> LookUp<TLookups>(Func<ProjectionBatch, CancellationToken, Task<TLookups>> lookUp)
    {
        CheckLookUp(lookUp);
        _eventLookUp = async (batch, cancellation) => await lookUp(batch, cancellation).ConfigureAwait(false);
        return new(_events);
    }

    /// <summary>
    /// The same for <see cref="AtLeastOnce{T}"/>, as <see cref="AtLeastOnceHandler{TLookups}.EnrichAsync"/> does. The arguments are the events that are about
    /// to be delivered, and the read model's version.
    /// </summary>
    /// <typeparam name="TLookups">The results of the look-ups, for example a dictionary of addresses.</typeparam>
    /// <exception cref="InvalidOperationException">There is a look-up already.</exception>
    public AtLeastOnceLookUp<TLookups> LookUp<TLookups>(Func<IReadOnlyList<ProjectionEvent>, string, CancellationToken, Task<TLookups>> lookUp)
    {
        CheckLookUp(lookUp);
        _deliveryLookUp = async (events, version, cancellation) => await lookUp(events, version, cancellation).ConfigureAwait(false);
        return new(_atLeastOnce);
    }

    /// <summary>Handles whole batches, each in the transaction that also stores its offset.</summary>
    /// <exception cref="InvalidOperationException">There is a function for batches already.</exception>
    public HandlerBuilder Batch(Func<ProjectionBatch, CancellationToken, Task> handle)
    {
        ArgumentNullException.ThrowIfNull(handle);
        _batch = _batch is null ? handle : throw new InvalidOperationException($"'{nameof(Batch)}' was called before; a handler has one function for batches.");
        return this;
    }

    /// <summary>Keeps one row for each persistence id, as in <see cref="EntityStateHandler{TState}"/>.</summary>
    /// <typeparam name="TState">The state of an entity.</typeparam>
    /// <param name="apply">Returns the state after an event: see <see cref="EntityStateHandler{TState}.Apply"/>.</param>
    /// <param name="table">Describes the table. By default the state is stored as System.Text.Json writes it, without further columns.</param>
    /// <exception cref="InvalidOperationException">There is a function for entities already.</exception>
    public HandlerBuilder Entity<TState>(Func<TState?, ProjectionEvent, TState?> apply, EntityTable<TState>? table = null)
        where TState : class
    {
        ArgumentNullException.ThrowIfNull(apply);
        _entity = _entity is null
            ? new FunctionEntityStateHandler<TState>(apply, table)
            : throw new InvalidOperationException($"'{nameof(Entity)}' was called before; a handler has one function for entities.");
        return this;
    }

    /// <summary>Lets a handler of <see cref="AtLeastOnce{T}"/> run in a rebuild too: see <see cref="AtLeastOnceHandler.RunsInRebuild"/>.</summary>
    public HandlerBuilder RunsInRebuild()
    {
        _runsInRebuild = true;
        return this;
    }

    /// <summary>
    /// Lets an event of a type without a function fail; <see cref="ProjectionOptions.OnFailure"/> decides what happens to it. By default such events
    /// are passed over; a handler of <see cref="Event{T}"/> counts them in <see cref="ProjectionStatus.UnhandledEvents"/>.
    /// </summary>
    public HandlerBuilder RefuseOthers()
    {
        _refusesOthers = true;
        return this;
    }

    /// <summary>
    /// Sets <see cref="ProjectionHandler.PrepareAsync"/>, which creates or empties the read model. With <see cref="Entity{TState}"/> it runs after the
    /// table was created, for example to add an index.
    /// </summary>
    public HandlerBuilder Prepare(Func<ReadModelScope, CancellationToken, Task> prepare)
    {
        ArgumentNullException.ThrowIfNull(prepare);
        _hooks = _hooks with { Prepare = prepare };
        return this;
    }

    /// <summary>Sets <see cref="ProjectionHandler.SwapAsync"/>, called when a rebuilt read model replaces the live one.</summary>
    public HandlerBuilder Swap(Func<string, ReadModelScope, CancellationToken, Task> swap)
    {
        ArgumentNullException.ThrowIfNull(swap);
        _hooks = _hooks with { Swap = swap };
        return this;
    }

    /// <summary>Sets <see cref="ProjectionHandler.DropAsync"/>, which removes a read model that is not live.</summary>
    public HandlerBuilder Drop(Func<ReadModelScope, CancellationToken, Task> drop)
    {
        ArgumentNullException.ThrowIfNull(drop);
        _hooks = _hooks with { Drop = drop };
        return this;
    }

    /// <summary>Builds the handler.</summary>
    /// <exception cref="InvalidOperationException">There is no function for events, there are functions of several kinds, or a setting does not fit
    /// their kind.</exception>
    public ProjectionHandler Build()
    {
        ProjectionHandler?[] kinds =
        [
            _events.Count > 0 ? new FunctionTransactionalHandler(_events.Freeze(_refusesOthers), _eventLookUp) : null,
            _atLeastOnce.Count > 0 ? new FunctionAtLeastOnceHandler(_atLeastOnce.Freeze(_refusesOthers), _deliveryLookUp, _runsInRebuild) : null,
            _batch is null ? null : new FunctionBatchHandler(_batch),
            _entity,
        ];
        ProjectionHandler[] given = [.. kinds.OfType<ProjectionHandler>()];
        if (given.Length != 1)
            throw new InvalidOperationException(given.Length == 0
                ? $"The handler has no function for events; call {Kinds}."
                : $"The handler has functions of several kinds; keep those of one of {Kinds}, and add a projection for the others.");
        if (_refusesOthers && given[0] is not (FunctionTransactionalHandler or FunctionAtLeastOnceHandler))
            throw new InvalidOperationException($"'{nameof(RefuseOthers)}' needs functions by type. With '{nameof(Batch)}' or '{nameof(Entity)}', throw in the function instead.");
        if (_runsInRebuild && given[0] is not FunctionAtLeastOnceHandler)
            throw new InvalidOperationException($"'{nameof(RunsInRebuild)}' is for '{nameof(AtLeastOnce)}' only; other handlers always run in a rebuild. Leave it out.");
        if ((_eventLookUp is not null && given[0] is not FunctionTransactionalHandler) || (_deliveryLookUp is not null && given[0] is not FunctionAtLeastOnceHandler))
            throw new InvalidOperationException($"No function gets what '{nameof(LookUp)}' returns; add '{nameof(Event)}' or '{nameof(AtLeastOnce)}' to its result, or leave it out.");
        return new FunctionHandler(given[0], _hooks);
    }

    private void CheckLookUp(Delegate lookUp)
    {
        ArgumentNullException.ThrowIfNull(lookUp);
        if (_eventLookUp is not null || _deliveryLookUp is not null)
            throw new InvalidOperationException($"'{nameof(LookUp)}' was called before; a handler has one look-up. Let it return all that the events need.");
    }
}

/// <summary>Functions that get what <see cref="HandlerBuilder.LookUp{TLookups}(Func{ProjectionBatch, CancellationToken, Task{TLookups}})"/> returned.</summary>
/// <typeparam name="TLookups">The results of the look-ups.</typeparam>
public sealed class EventLookUp<TLookups>
{
    private readonly EventFunctions<ReadModelTransaction> _events;

    internal EventLookUp(EventFunctions<ReadModelTransaction> events) => _events = events;

    /// <summary>As <see cref="HandlerBuilder.Event{T}"/>, with the look-ups of the batch as the second argument.</summary>
    /// <typeparam name="T">The type of the payload.</typeparam>
    /// <exception cref="ArgumentException">The type has a function already.</exception>
    public EventLookUp<TLookups> Event<T>(Func<ProjectionEvent<T>, TLookups, ReadModelTransaction, CancellationToken, Task> handle)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        _events.Add<T>((handled, lookups, transaction, cancellation) => handle(handled, (TLookups)lookups!, transaction, cancellation));
        return this;
    }
}

/// <summary>
/// Functions that get what <see cref="HandlerBuilder.LookUp{TLookups}(Func{IReadOnlyList{ProjectionEvent}, string, CancellationToken, Task{TLookups}})"/> returned.
/// </summary>
/// <typeparam name="TLookups">The results of the look-ups.</typeparam>
public sealed class AtLeastOnceLookUp<TLookups>
{
    private readonly EventFunctions<string> _events;

    internal AtLeastOnceLookUp(EventFunctions<string> events) => _events = events;

    /// <summary>As <see cref="HandlerBuilder.AtLeastOnce{T}"/>, with the look-ups as the second argument.</summary>
    /// <typeparam name="T">The type of the payload.</typeparam>
    /// <exception cref="ArgumentException">The type has a function already.</exception>
    public AtLeastOnceLookUp<TLookups> AtLeastOnce<T>(Func<ProjectionEvent<T>, TLookups, string, CancellationToken, Task> handle)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        _events.Add<T>((handled, lookups, version, cancellation) => handle(handled, (TLookups)lookups!, version, cancellation));
        return this;
    }
}

/// <summary>An event whose payload has a known type.</summary>
/// <typeparam name="T">The type of the payload.</typeparam>
public readonly struct ProjectionEvent<T>
    where T : notnull
{
    private readonly ProjectionEvent _handled;

    internal ProjectionEvent(ProjectionEvent handled) => _handled = handled;

    /// <inheritdoc cref="ProjectionEvent.Stored"/>
    public JournalEvent Stored => _handled.Stored;

    /// <summary>The payload that <see cref="ProjectionOptions.Decoder"/> returned.</summary>
    public T Payload => (T)_handled.Payload;

    /// <inheritdoc cref="ProjectionEvent.PersistenceId"/>
    public string PersistenceId => Stored.PersistenceId;

    /// <inheritdoc cref="ProjectionEvent.SequenceNumber"/>
    public long SequenceNumber => Stored.SequenceNumber;

    /// <inheritdoc cref="ProjectionEvent.Ordering"/>
    public long Ordering => Stored.Ordering;

    /// <inheritdoc cref="ProjectionEvent.IsReplay"/>
    public bool IsReplay => _handled.IsReplay;

    /// <inheritdoc cref="ProjectionEvent.IdempotencyKey"/>
    public IdempotencyKey IdempotencyKey => _handled.IdempotencyKey;

    /// <inheritdoc cref="ProjectionEvent.ToString"/>
    public override string ToString() => Stored.ToString();
}

using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Builds a handler from functions instead of a class. All functions are of one kind: <see cref="Event{T}"/> as in <see cref="TransactionalHandler"/>,
/// <see cref="Batch"/> as in <see cref="BatchHandler"/>, or <see cref="AtLeastOnce{T}"/> as in <see cref="AtLeastOnceHandler"/>. All lanes call the
/// functions at the same time.
/// <code>
/// services.AddProjection("orders", on => on.Event&lt;Placed>((placed, transaction, cancellation) => transaction.ExecuteAsync(
///     "INSERT INTO orders (id, product) VALUES (@id, @product)", cancellation, ("id", placed.PersistenceId), ("product", placed.Payload.Product))));
/// </code>
/// </summary>
public sealed class HandlerBuilder
{
    private readonly EventFunctions<ReadModelTransaction> _events = new();
    private readonly EventFunctions<string> _atLeastOnce = new();
    private Func<ProjectionBatch, CancellationToken, Task>? _batch;
    private FunctionHooks _hooks = new();
    private bool _refusesOthers;

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
        _events.Add(handle);
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
        _atLeastOnce.Add(handle);
        return this;
    }

    /// <summary>Handles whole batches, each in the transaction that also stores its offset.</summary>
    /// <exception cref="InvalidOperationException">There is a function for batches already.</exception>
    public HandlerBuilder Batch(Func<ProjectionBatch, CancellationToken, Task> handle)
    {
        ArgumentNullException.ThrowIfNull(handle);
        _batch = _batch is null ? handle : throw new InvalidOperationException($"'{nameof(Batch)}' was called before; a handler has one function for batches.");
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

    /// <summary>Sets <see cref="ProjectionHandler.PrepareAsync"/>, which creates or empties the read model.</summary>
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
    /// <exception cref="InvalidOperationException">There is no function for events, or there are functions of several kinds.</exception>
    public ProjectionHandler Build() => (_events.Count > 0, _atLeastOnce.Count > 0, _batch) switch
    {
        (true, false, null) => new FunctionsHandler(_events.Freeze(_refusesOthers), _hooks),
        (false, true, null) => new FunctionsAtLeastOnceHandler(_atLeastOnce.Freeze(_refusesOthers), _hooks),
        (false, false, { } batch) => !_refusesOthers
            ? new FunctionBatchHandler(batch, _hooks)
            : throw new InvalidOperationException($"'{nameof(RefuseOthers)}' needs functions by type. With '{nameof(Batch)}', throw in the function instead."),
        (false, false, null) => throw new InvalidOperationException(
            $"The handler has no function for events; call '{nameof(Event)}', '{nameof(Batch)}' or '{nameof(AtLeastOnce)}'."),
        _ => throw new InvalidOperationException(
            $"The handler has functions of several kinds; keep those of '{nameof(Event)}', of '{nameof(Batch)}' or of '{nameof(AtLeastOnce)}', and add a projection for the others."),
    };
}

/// <summary>An event whose payload has a known type.</summary>
/// <typeparam name="T">The type of the payload.</typeparam>
public readonly struct ProjectionEvent<T>
    where T : notnull
{
    internal ProjectionEvent(ProjectionEvent handled) => (Stored, Payload) = (handled.Stored, (T)handled.Payload);

    /// <inheritdoc cref="ProjectionEvent.Stored"/>
    public JournalEvent Stored { get; }

    /// <summary>The payload that <see cref="ProjectionOptions.Decoder"/> returned.</summary>
    public T Payload { get; }

    /// <inheritdoc cref="ProjectionEvent.PersistenceId"/>
    public string PersistenceId => Stored.PersistenceId;

    /// <inheritdoc cref="ProjectionEvent.SequenceNumber"/>
    public long SequenceNumber => Stored.SequenceNumber;

    /// <inheritdoc cref="ProjectionEvent.Ordering"/>
    public long Ordering => Stored.Ordering;

    /// <inheritdoc cref="ProjectionEvent.ToString"/>
    public override string ToString() => Stored.ToString();
}

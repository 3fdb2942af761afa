using System.Collections.Concurrent;

namespace Throttled.Projections.Handlers;

internal sealed record FunctionHooks
{
    internal Func<ReadModelScope, CancellationToken, Task> Prepare { get; init; } = (_, _) => Task.CompletedTask;

    internal Func<string, ReadModelScope, CancellationToken, Task> Swap { get; init; } = (_, _, _) => Task.CompletedTask;

    internal Func<ReadModelScope, CancellationToken, Task> Drop { get; init; } = (_, _) => Task.CompletedTask;
}

/// <summary>A handler of any kind, and hooks that run after its own.</summary>
internal sealed class FunctionHandler(ProjectionHandler inner, FunctionHooks hooks) : ProjectionHandler
{
    internal override IDelivery? Delivery => inner.Delivery;

    public override async Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        await inner.PrepareAsync(scope, cancellationToken).ConfigureAwait(false);
        await hooks.Prepare(scope, cancellationToken).ConfigureAwait(false);
    }

    public override async Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken)
    {
        await inner.SwapAsync(from, to, cancellationToken).ConfigureAwait(false);
        await hooks.Swap(from, to, cancellationToken).ConfigureAwait(false);
    }

    public override async Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        // In the reverse order: a view of the hook may depend on a table of the handler.
        await hooks.Drop(scope, cancellationToken).ConfigureAwait(false);
        await inner.DropAsync(scope, cancellationToken).ConfigureAwait(false);
    }

    internal override Task<IReadOnlyList<ProjectionEvent>> WriteEffectsAsync(ProjectionBatch batch, CancellationToken cancellation) =>
        inner.WriteEffectsAsync(batch, cancellation);
}

internal sealed class FunctionTransactionalHandler(
    EventFunctions<ReadModelTransaction> functions, Func<ProjectionBatch, CancellationToken, Task<object?>>? lookUp) : TransactionalHandler<object?>
{
    public override Task<object?> EnrichAsync(ProjectionBatch batch, CancellationToken cancellationToken) =>
        lookUp?.Invoke(batch, cancellationToken) ?? Task.FromResult<object?>(null);

    public override Task HandleAsync(ProjectionEvent @event, object? lookups, ReadModelTransaction transaction, CancellationToken cancellationToken) =>
        functions.HandleAsync(@event, lookups, transaction, cancellationToken);
}

internal sealed class FunctionAtLeastOnceHandler(
    EventFunctions<string> functions, Func<IReadOnlyList<ProjectionEvent>, string, CancellationToken, Task<object?>>? lookUp, bool runsInRebuild) : AtLeastOnceHandler<object?>
{
    public override bool RunsInRebuild => runsInRebuild;

    public override Task<object?> EnrichAsync(IReadOnlyList<ProjectionEvent> events, string version, CancellationToken cancellationToken) =>
        lookUp?.Invoke(events, version, cancellationToken) ?? Task.FromResult<object?>(null);

    public override Task HandleAsync(ProjectionEvent @event, object? lookups, string version, CancellationToken cancellationToken) =>
        functions.HandleAsync(@event, lookups, version, cancellationToken);
}

internal sealed class FunctionBatchHandler(Func<ProjectionBatch, CancellationToken, Task> handle) : BatchHandler
{
    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => handle(batch, cancellationToken);
}

internal sealed class FunctionEntityStateHandler<TState>(Func<TState?, ProjectionEvent, TState?> apply, EntityTable<TState>? table) : EntityStateHandler<TState>(table)
    where TState : class
{
    public override TState? Apply(TState? state, ProjectionEvent @event) => apply(state, @event);
}

/// <summary>Functions by the type of the payload.</summary>
internal sealed class EventFunctions<TArgument>
{
    private readonly List<(Type Type, Function Function)> _all = [];
    private readonly ConcurrentDictionary<Type, Function> _byType = new();
    private readonly Function _other = (_, _, _, _) => Task.CompletedTask;

    internal EventFunctions()
    {
    }

    private EventFunctions(EventFunctions<TArgument> added, bool refusesOthers)
    {
        _all = [.. added._all];
        if (refusesOthers)
            _other = Refuse;
    }

    private delegate Task Function(ProjectionEvent handled, object? lookups, TArgument argument, CancellationToken cancellation);

    internal int Count => _all.Count;

    internal void Add<T>(Func<ProjectionEvent<T>, object?, TArgument, CancellationToken, Task> handle)
        where T : notnull
    {
        if (_all.Any(each => each.Type == typeof(T)))
            throw new ArgumentException($"The type {typeof(T)} has a function already. Handle its events in one function.");
        _all.Add((typeof(T), (handled, lookups, argument, cancellation) => handle(new(handled), lookups, argument, cancellation)));
    }

    /// <summary>Returns a copy to which nothing is added any more. It is thread-safe.</summary>
    internal EventFunctions<TArgument> Freeze(bool refusesOthers) => new(this, refusesOthers);

    internal Task HandleAsync(ProjectionEvent handled, object? lookups, TArgument argument, CancellationToken cancellation) =>
        _byType.GetOrAdd(handled.Payload.GetType(), Find)(handled, lookups, argument, cancellation);

    private Function Find(Type type)
    {
        // An object is every type, so its function is the last choice.
        for (var known = type; known is not null && known != typeof(object); known = known.BaseType)
        {
            if (_all.Find(each => each.Type == known).Function is { } function)
                return function;
        }
        return _all.Find(each => each.Type != typeof(object) && each.Type.IsAssignableFrom(type)).Function
            ?? _all.Find(each => each.Type == typeof(object)).Function
            ?? _other;
    }

    private static Task Refuse(ProjectionEvent handled, object? lookups, TArgument argument, CancellationToken cancellation) => throw new InvalidOperationException(
        $"The handler has no function for events of the type {handled.Payload.GetType()}. Add one, let the decoder return null for them, or leave out '{nameof(HandlerBuilder.RefuseOthers)}'.");
}

using System.Collections.Concurrent;

namespace Throttled.Projections.Handlers;

internal sealed record FunctionHooks
{
    internal Func<ReadModelScope, CancellationToken, Task> Prepare { get; init; } = (_, _) => Task.CompletedTask;

    internal Func<string, ReadModelScope, CancellationToken, Task> Swap { get; init; } = (_, _, _) => Task.CompletedTask;

    internal Func<ReadModelScope, CancellationToken, Task> Drop { get; init; } = (_, _) => Task.CompletedTask;
}

internal sealed class FunctionsHandler(EventFunctions<ReadModelTransaction> functions, FunctionHooks hooks) : TransactionalHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Prepare(scope, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => hooks.Swap(from, to, cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Drop(scope, cancellationToken);

    public override Task HandleAsync(ProjectionEvent @event, ReadModelTransaction transaction, CancellationToken cancellationToken) =>
        functions.HandleAsync(@event, transaction, cancellationToken);
}

internal sealed class FunctionsAtLeastOnceHandler(EventFunctions<string> functions, FunctionHooks hooks) : AtLeastOnceHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Prepare(scope, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => hooks.Swap(from, to, cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Drop(scope, cancellationToken);

    public override Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken) =>
        functions.HandleAsync(@event, version, cancellationToken);
}

internal sealed class FunctionBatchHandler(Func<ProjectionBatch, CancellationToken, Task> handle, FunctionHooks hooks) : BatchHandler
{
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Prepare(scope, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => hooks.Swap(from, to, cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => hooks.Drop(scope, cancellationToken);

    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => handle(batch, cancellationToken);
}

/// <summary>Functions by the type of the payload.</summary>
internal sealed class EventFunctions<TArgument>
{
    private readonly List<(Type Type, Function Function)> _all = [];
    private readonly ConcurrentDictionary<Type, Function> _byType = new();
    private readonly Function _other = (_, _, _) => Task.CompletedTask;

    internal EventFunctions()
    {
    }

    private EventFunctions(EventFunctions<TArgument> added, bool refusesOthers)
    {
        _all = [.. added._all];
        if (refusesOthers)
            _other = Refuse;
    }

    private delegate Task Function(ProjectionEvent handled, TArgument argument, CancellationToken cancellation);

    internal int Count => _all.Count;

    internal void Add<T>(Func<ProjectionEvent<T>, TArgument, CancellationToken, Task> handle)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(handle);
        if (_all.Any(each => each.Type == typeof(T)))
            throw new ArgumentException($"The type {typeof(T)} has a function already. Handle its events in one function.");
        _all.Add((typeof(T), (handled, argument, cancellation) => handle(new(handled), argument, cancellation)));
    }

    /// <summary>Returns a copy to which nothing is added any more. It is thread-safe.</summary>
    internal EventFunctions<TArgument> Freeze(bool refusesOthers) => new(this, refusesOthers);

    internal Task HandleAsync(ProjectionEvent handled, TArgument argument, CancellationToken cancellation) =>
        _byType.GetOrAdd(handled.Payload.GetType(), Find)(handled, argument, cancellation);

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

    private static Task Refuse(ProjectionEvent handled, TArgument argument, CancellationToken cancellation) => throw new InvalidOperationException(
        $"The handler has no function for events of the type {handled.Payload.GetType()}. Add one, let the decoder return null for them, or leave out '{nameof(HandlerBuilder.RefuseOthers)}'.");
}

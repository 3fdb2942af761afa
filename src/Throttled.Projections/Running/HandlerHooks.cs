using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>What a handler makes, turns and removes of a read model. What fails there and waiting cannot cure is its own.</summary>
internal sealed class HandlerHooks(ProjectionParts parts)
{
    private readonly ProjectionHandler _handler = parts.Handler;

    /// <exception cref="HookException">It failed.</exception>
    internal Task PrepareAsync(ReadModelScope scope, CancellationToken cancellation) =>
        RunAsync("PrepareAsync", () => _handler.PrepareAsync(scope, cancellation), cancellation);

    /// <exception cref="HookException">It failed.</exception>
    internal Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellation) =>
        RunAsync("SwapAsync", () => _handler.SwapAsync(from, to, cancellation), cancellation);

    /// <exception cref="HookException">It failed.</exception>
    internal Task DropAsync(ReadModelScope scope, CancellationToken cancellation) =>
        RunAsync("DropAsync", () => _handler.DropAsync(scope, cancellation), cancellation);

    // What waiting may cure is no fault of the handler.
    private async Task RunAsync(string name, Func<Task> hook, CancellationToken cancellation)
    {
        try
        {
            await hook().ConfigureAwait(false);
        }
        catch (Exception error) when (!cancellation.IsCancellationRequested && !parts.Store.IsTransient(error))
        {
            throw new HookException(name, error);
        }
    }
}

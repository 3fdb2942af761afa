using System.Diagnostics.CodeAnalysis;

namespace Throttled.Faults.Bounds;

/// <summary>One run of a query in the churn.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A cancellation may be in flight when the run ends; the source has only memory.")]
internal sealed class ChurnRun(ChurnFate fate)
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private IAsyncDisposable? _items;

    /// <summary>Starts to read in the background. The task ends soon after <see cref="Leave"/>, and fails if an event is wrong.</summary>
    internal Task ReadAsync(JournalReader reader) => fate.Kind == ChurnKind.Ids
        ? ReadAsync(fate.IsLive ? reader.PersistenceIds() : reader.CurrentPersistenceIds(), static (_, _) => true)
        : ReadAsync(fate.Events(reader), fate.Allows);

    /// <summary>Leaves in any state.</summary>
    internal void Leave()
    {
        if (fate.IsDisposed)
            _ = _items!.DisposeAsync().AsTask();
        else
            _stop.Cancel();
        _left.TrySetResult();
    }

    private async Task ReadAsync<T>(IAsyncEnumerable<T> query, Func<T?, T, bool> allows)
        where T : class
    {
        var items = query.GetAsyncEnumerator(_stop.Token);
        _items = items;
        try
        {
            if (fate.Stay != ChurnStay.Unread)
                await ReadAsync(items, allows);
            await _left.Task;
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The run was cancelled on purpose.
        }
        finally
        {
            await items.DisposeAsync();
        }
    }

    private async Task ReadAsync<T>(IAsyncEnumerator<T> items, Func<T?, T, bool> allows)
        where T : class
    {
        var most = fate.Stay == ChurnStay.Sleeps ? fate.Items : int.MaxValue;
        T? last = null;
        for (var count = 0; count < most; count++)
        {
            var next = items.MoveNextAsync();
            if (fate.Stay == ChurnStay.AtOnce)
                Leave();
            if (!await next)
                return;
            if (!allows(last, items.Current))
                throw new InvalidOperationException($"{fate} got {items.Current} behind {last}.");
            last = items.Current;
        }
    }
}

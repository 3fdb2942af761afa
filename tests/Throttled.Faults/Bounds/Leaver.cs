using System.Diagnostics.CodeAnalysis;

namespace Throttled.Faults.Bounds;

/// <summary>A reader that leaves its query.</summary>
internal abstract class Leaver
{
    /// <summary>Whether the last requested item has arrived.</summary>
    internal abstract bool IsAnswered { get; }

    internal static Leaver Of<T>(IAsyncEnumerable<T> query) => new Leaver<T>(query);

    /// <summary>Requests the next item.</summary>
    internal abstract void Request();

    /// <summary>Reads the given number of items.</summary>
    internal abstract Task ReadAsync(int count);

    /// <summary>Leaves without waiting.</summary>
    internal abstract void Leave(LeftBy by);

    /// <summary>Reads on to the end.</summary>
    /// <returns>The number of items, and the error at the end; null for a normal end.</returns>
    internal abstract Task<(int Items, Exception? Failure)> EndAsync();
}

[SuppressMessage("Reliability", "CA1001", Justification = "The engine must also work if the source is not disposed; the source has only memory.")]
internal sealed class Leaver<T> : Leaver
{
    private readonly CancellationTokenSource _stop = new();
    private readonly IAsyncEnumerator<T> _items;
    private ValueTask<bool>? _requested;

    internal Leaver(IAsyncEnumerable<T> query) => _items = query.GetAsyncEnumerator(_stop.Token);

    internal override bool IsAnswered => _requested is { IsCompleted: true };

    internal override void Request()
    {
        var requested = _items.MoveNextAsync();
        _requested = requested;
    }

    internal override async Task ReadAsync(int count)
    {
        for (var i = 0; i < count; i++)
            Assert.True(await NextAsync().WithinAsync($"item {i + 1} of {count}"), $"The query ended after {i} of {count} items.");
    }

    internal override void Leave(LeftBy by)
    {
        if (by == LeftBy.Cancellation)
            _stop.Cancel();
        else if (by == LeftBy.DisposeOfEnumerator)
            _ = _items.DisposeAsync().AsTask();
    }

    internal override async Task<(int Items, Exception? Failure)> EndAsync()
    {
        var count = 0;
        try
        {
            while (await NextAsync().WithinAsync("the end of a query that was left"))
                count++;
            return (count, null);
        }
        catch (Exception failure) when (failure is OperationCanceledException or ObjectDisposedException)
        {
            return (count, failure);
        }
    }

    private Task<bool> NextAsync()
    {
        var requested = _requested ?? _items.MoveNextAsync();
        _requested = null;
        return requested.AsTask();
    }
}

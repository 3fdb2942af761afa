using System.Diagnostics.CodeAnalysis;
using Throttled.Testing;

namespace Throttled.Faults.Bounds;

/// <summary>A reader that leaves its query.</summary>
internal abstract class Leaver
{
    /// <summary>Whether what was asked for last is there.</summary>
    internal abstract bool IsAnswered { get; }

    internal static Leaver Of<T>(IAsyncEnumerable<T> query) => new Leaver<T>(query);

    /// <summary>Asks for the next item.</summary>
    internal abstract void Ask();

    /// <summary>Reads so many items.</summary>
    internal abstract Task ReadAsync(int count);

    /// <summary>Leaves, and does not wait for anything.</summary>
    internal abstract void Leave(LeftBy by);

    /// <summary>Reads on to the end.</summary>
    /// <returns>How many items there were, and what ended them; null for a plain end.</returns>
    internal abstract Task<(int Items, Exception? Failure)> EndAsync();
}

[SuppressMessage("Reliability", "CA1001", Justification = "The engine disposes of nothing that it has not been given; the source holds nothing but memory.")]
internal sealed class Leaver<T> : Leaver
{
    private readonly CancellationTokenSource _stop = new();
    private readonly IAsyncEnumerator<T> _items;
    private ValueTask<bool>? _asked;

    internal Leaver(IAsyncEnumerable<T> query) => _items = query.GetAsyncEnumerator(_stop.Token);

    internal override bool IsAnswered => _asked is { IsCompleted: true };

    internal override void Ask()
    {
        var asked = _items.MoveNextAsync();
        _asked = asked;
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
        var asked = _asked ?? _items.MoveNextAsync();
        _asked = null;
        return asked.AsTask();
    }
}

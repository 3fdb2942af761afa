namespace Throttled.Testing;

/// <summary>Reads a query while the test runs.</summary>
public static class LiveReading
{
    /// <param name="each">Called with each item before the next one is requested.</param>
    public static LiveReading<T> Of<T>(IAsyncEnumerable<T> query, Func<T, Task>? each = null) => new(query, each);
}

/// <summary>A query that is read while the test runs. It ends when it is disposed.</summary>
public sealed class LiveReading<T> : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly List<T> _events = [];
    private readonly Func<T, Task>? _each;

    internal LiveReading(IAsyncEnumerable<T> query, Func<T, Task>? each)
    {
        _each = each;
        Ended = Task.Run(() => ReadAsync(query));
    }

    /// <summary>Completes or fails with the query.</summary>
    public Task Ended { get; }

    public int Count
    {
        get
        {
            lock (_events)
                return _events.Count;
        }
    }

    /// <summary>The items so far.</summary>
    public IReadOnlyList<T> Events
    {
        get
        {
            lock (_events)
                return [.. _events];
        }
    }

    /// <summary>Waits until a number of items came. Fails at once if the query fails.</summary>
    public async Task<IReadOnlyList<T>> UntilAsync(int count)
    {
        await Wait.UntilAsync(() => Count >= count || Ended.IsCompleted, () => $"{count} events; there are {Count}");
        if (Count < count)
            await Ended;
        Assert.True(Count >= count, $"The query ended after {Count} of {count} events.");
        return Events;
    }

    public void Stop() => _stop.Cancel();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Ended.ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of a query that was cancelled");
        _stop.Dispose();
    }

    private async Task ReadAsync(IAsyncEnumerable<T> query)
    {
        await foreach (var each in query.WithCancellation(_stop.Token))
        {
            lock (_events)
                _events.Add(each);
            if (_each is not null)
                await _each(each);
        }
    }
}

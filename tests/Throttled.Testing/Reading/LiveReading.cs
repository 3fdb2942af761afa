namespace Throttled.Testing;

/// <summary>Reads a query beside the test.</summary>
public static class LiveReading
{
    /// <param name="query">What to read.</param>
    /// <param name="each">What its reader does with each item before it asks for the next.</param>
    public static LiveReading<T> Of<T>(IAsyncEnumerable<T> query, Func<T, Task>? each = null) => new(query, each);
}

/// <summary>A query that is read beside the test; ended when disposed.</summary>
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

    /// <summary>Ends with the query; fails as it does.</summary>
    public Task Ended { get; }

    public int Count
    {
        get
        {
            lock (_events)
                return _events.Count;
        }
    }

    /// <summary>What came so far.</summary>
    public IReadOnlyList<T> Events
    {
        get
        {
            lock (_events)
                return [.. _events];
        }
    }

    /// <summary>Waits until so many events came; fails at once where the query does.</summary>
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

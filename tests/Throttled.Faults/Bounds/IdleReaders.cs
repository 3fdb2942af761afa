namespace Throttled.Faults.Bounds;

/// <summary>Very many live queries, one for each id. Their readers take one event, stop reading, and read the rest after <see cref="WakeUp"/>.</summary>
internal sealed class IdleReaders : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _woken = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _events;
    private readonly Task[] _readers;
    private int _idle;

    internal IdleReaders(JournalReader reader, string[] ids, int events)
    {
        _events = events;
        _readers = [.. ids.Select(id => ReadAsync(reader, id))];
    }

    internal Task UntilIdleAsync() => Wait.UntilAsync(
        () => Volatile.Read(ref _idle) == _readers.Length,
        () => $"{_readers.Length} idle readers; there are {_idle}", TimeSpan.FromMinutes(5));

    internal void WakeUp() => _woken.SetResult();

    /// <summary>Waits until each reader has got each event once, in order; fails if one fails.</summary>
    internal Task UntilEndAsync() => Task.WhenAll(_readers).WithinAsync("the events of the idle readers", TimeSpan.FromMinutes(5));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_readers).ContinueWith(_ => { }, TaskScheduler.Default).WithinAsync("the end of readers that were cancelled");
        _stop.Dispose();
    }

    private async Task ReadAsync(JournalReader reader, string id)
    {
        var count = 0;
        await foreach (var each in reader.EventsByPersistenceId(id, 0, _events).WithCancellation(_stop.Token))
        {
            Assert.Equal((id, ++count), (each.PersistenceId, each.SequenceNumber));
            if (count > 1)
                continue;
            Interlocked.Increment(ref _idle);
            await _woken.Task.WaitAsync(_stop.Token);
        }
        Assert.Equal(_events, count);
    }
}

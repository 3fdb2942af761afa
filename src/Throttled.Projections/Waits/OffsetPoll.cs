namespace Throttled.Projections.Waits;

/// <summary>All waits for a projection. One poll serves all of them. No poll runs while there is no wait.</summary>
/// <param name="check">Ends the waits whose ordering is reached.</param>
/// <param name="clock">For the pauses between polls.</param>
internal sealed class OffsetPoll(Func<IReadOnlyList<OffsetWait>, Task> check, TimeProvider clock)
{
    internal static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(50);

    private readonly Lock _lock = new();
    private readonly HashSet<OffsetWait> _waits = [];
    private bool _isRunning;
    private long _polls;

    internal long Polls => Interlocked.Read(ref _polls);

    internal int Count
    {
        get
        {
            lock (_lock)
                return _waits.Count;
        }
    }

    internal bool IsIdle
    {
        get
        {
            lock (_lock)
                return !_isRunning;
        }
    }

    /// <exception cref="TimeoutException">The lanes have not reached the ordering in time. The message says why.</exception>
    /// <exception cref="ProjectionException">The event is a dead letter or queues behind one.</exception>
    internal async Task WaitAsync(OffsetWait wait, TimeSpan timeout, CancellationToken cancellation)
    {
        var limited = wait.Done.WaitAsync(timeout, clock, cancellation);
        Add(wait);
        try
        {
            await limited.ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            throw new TimeoutException(wait.Reason);
        }
        finally
        {
            Remove(wait);
        }
    }

    private void Add(OffsetWait wait)
    {
        lock (_lock)
        {
            _waits.Add(wait);
            if (_isRunning)
                return;
            _isRunning = true;
        }
        _ = Task.Run(RunAsync);
    }

    private void Remove(OffsetWait wait)
    {
        lock (_lock)
            _waits.Remove(wait);
    }

    private async Task RunAsync()
    {
        while (Waiting() is { Count: > 0 } waits)
        {
            await CheckAsync(waits).ConfigureAwait(false);
            Interlocked.Increment(ref _polls);
            await Task.Delay(Interval, clock).ConfigureAwait(false);
        }
    }

    private List<OffsetWait> Waiting()
    {
        lock (_lock)
        {
            List<OffsetWait> waits = [.. _waits.Where(wait => !wait.Done.IsCompleted)];
            _isRunning = waits.Count > 0;
            return waits;
        }
    }

    private async Task CheckAsync(List<OffsetWait> waits)
    {
        try
        {
            await check(waits).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            // The database may come back, or the projection may start for the first time. Each wait has its own time-out.
            waits.ForEach(wait => wait.Failed(error));
        }
    }
}

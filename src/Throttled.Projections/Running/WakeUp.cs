namespace Throttled.Projections.Running;

/// <summary>Wakes a loop after a time, or at once when it is signaled. One loop waits; any thread may signal.</summary>
internal sealed class WakeUp(TimeProvider clock, TaskCreationOptions continuations = TaskCreationOptions.RunContinuationsAsynchronously)
{
    private TaskCompletionSource _signal = new(continuations);

    internal void Signal() => Volatile.Read(ref _signal).TrySetResult();

    /// <summary>Returns after the time, even if it is signaled, or when it is cancelled. It does not throw, and keeps the signal.</summary>
    internal async Task DelayAsync(TimeSpan time, CancellationToken cancellation) =>
        await new TaskCompletionSource().Task.WaitAsync(time, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    internal async Task WaitAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        await _signal.Task.WaitAsync(timeout, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // A signal from here on is new. An earlier signal is about to be handled.
        if (_signal.Task.IsCompleted)
            Volatile.Write(ref _signal, new(continuations));
    }
}

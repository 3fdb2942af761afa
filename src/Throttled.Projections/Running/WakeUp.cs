namespace Throttled.Projections.Running;

/// <summary>Wakes a loop at its time, or at once when it is signaled. One waits; anyone may signal.</summary>
/// <param name="clock">The clock.</param>
/// <param name="continuations">How a signal continues; by default the caller does not run what it wakes.</param>
internal sealed class WakeUp(TimeProvider clock, TaskCreationOptions continuations = TaskCreationOptions.RunContinuationsAsynchronously)
{
    private TaskCompletionSource _signal = new(continuations);

    /// <summary>Wakes who waits, or who waits next.</summary>
    internal void Signal() => Volatile.Read(ref _signal).TrySetResult();

    /// <summary>Returns after the time, signaled or not, or when it is cancelled; it does not throw. A signal is kept.</summary>
    internal async Task DelayAsync(TimeSpan time, CancellationToken cancellation) =>
        await new TaskCompletionSource().Task.WaitAsync(time, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Returns after the time, when it is signaled, or when it is cancelled; it does not throw.</summary>
    internal async Task WaitAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        await _signal.Task.WaitAsync(timeout, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // A signal from here on is new; one from before is about to be handled.
        if (_signal.Task.IsCompleted)
            Volatile.Write(ref _signal, new(continuations));
    }
}

namespace Throttled.Projections.Running;

/// <summary>Wakes a loop at its time, or at once when it is signaled. One waits; anyone may signal.</summary>
/// <param name="clock">The clock.</param>
/// <param name="continuations">How a signal continues; by default the caller does not run what it wakes.</param>
internal sealed class Alarm(TimeProvider clock, TaskCreationOptions continuations = TaskCreationOptions.RunContinuationsAsynchronously)
{
    private TaskCompletionSource _rung = new(continuations);

    /// <summary>Wakes who waits, or who waits next.</summary>
    internal void Ring() => Volatile.Read(ref _rung).TrySetResult();

    /// <summary>Returns after the time, signaled or not, or when it is cancelled; it does not throw. A signal is kept.</summary>
    internal async Task RestAsync(TimeSpan time, CancellationToken cancellation) =>
        await new TaskCompletionSource().Task.WaitAsync(time, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Returns after the time, when it is signaled, or when it is cancelled; it does not throw.</summary>
    internal async Task WaitAsync(TimeSpan most, CancellationToken cancellation)
    {
        await _rung.Task.WaitAsync(most, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // A signal from here on is new; one from before is about to be handled.
        if (_rung.Task.IsCompleted)
            Volatile.Write(ref _rung, new(continuations));
    }
}

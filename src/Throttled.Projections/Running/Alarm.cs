namespace Throttled.Projections.Running;

/// <summary>Wakes a loop at its time, or at once when it is rung. For one who waits; anyone rings.</summary>
/// <param name="clock">The clock.</param>
/// <param name="continuations">How a ring goes on; by default whoever rings does not run what it wakes.</param>
internal sealed class Alarm(TimeProvider clock, TaskCreationOptions continuations = TaskCreationOptions.RunContinuationsAsynchronously)
{
    private TaskCompletionSource _rung = new(continuations);

    /// <summary>Wakes who waits, or who waits next.</summary>
    internal void Ring() => Volatile.Read(ref _rung).TrySetResult();

    /// <summary>Returns after the time, rung or not, and when it is cancelled; it does not throw. A ring is kept.</summary>
    internal async Task RestAsync(TimeSpan time, CancellationToken cancellation) =>
        await new TaskCompletionSource().Task.WaitAsync(time, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    /// <summary>Returns after the time, when it is rung, and when it is cancelled; it does not throw.</summary>
    internal async Task WaitAsync(TimeSpan most, CancellationToken cancellation)
    {
        await _rung.Task.WaitAsync(most, clock, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        // Whatever rings from here on was not seen yet; what rang before is about to be.
        if (_rung.Task.IsCompleted)
            Volatile.Write(ref _rung, new(continuations));
    }
}

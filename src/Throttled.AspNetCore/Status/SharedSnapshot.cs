using System.Runtime.CompilerServices;

namespace Throttled.AspNetCore.Status;

/// <summary>The figures are read at most once a second, for all viewers together, and never if there are no viewers. Thread-safe.</summary>
/// <param name="take">Reads the figures.</param>
/// <param name="time">The clock.</param>
internal sealed class SharedSnapshot<T>(Func<Task<T>> take, TimeProvider time)
{
    internal static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private Task<T>? _snapshot;
    private long _takenAt;

    /// <summary>The last snapshot if it is younger than a second, otherwise a new one.</summary>
    internal Task<T> CurrentAsync()
    {
        lock (_lock)
        {
            if (_snapshot is null || (_snapshot.IsCompleted && Left() <= TimeSpan.Zero))
            {
                _takenAt = time.GetTimestamp();
                _snapshot = Task.Run(take);
            }
            return _snapshot;
        }
    }

    /// <summary>Each snapshot from now on. All viewers wait until the same time, and the first that wakes up reads for all.</summary>
    internal async IAsyncEnumerable<T> FollowAsync([EnumeratorCancellation] CancellationToken cancellation)
    {
        Task<T>? last = null;
        while (true)
        {
            var snapshot = CurrentAsync();
            if (snapshot != last)
                yield return await snapshot.WaitAsync(cancellation).ConfigureAwait(false);
            last = snapshot;
            await Task.Delay(Wait(), time, cancellation).ConfigureAwait(false);
        }
    }

    private TimeSpan Left() => Interval - time.GetElapsedTime(_takenAt);

    // Timers count whole milliseconds. Rounded down, the wait would end before the next read is due.
    private TimeSpan Wait()
    {
        lock (_lock)
            return TimeSpan.FromMilliseconds(Math.Max(1, Math.Ceiling(Left().TotalMilliseconds)));
    }
}

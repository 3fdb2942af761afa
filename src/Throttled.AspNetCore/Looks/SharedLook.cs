using System.Runtime.CompilerServices;

namespace Throttled.AspNetCore.Looks;

/// <summary>At most one look a second at the figures, shared by all viewers; none if there are no viewers. Thread-safe.</summary>
/// <param name="take">Takes a look.</param>
/// <param name="time">The clock.</param>
internal sealed class SharedLook<T>(Func<Task<T>> take, TimeProvider time)
{
    internal static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private Task<T>? _look;
    private long _takenAt;

    /// <summary>The last look if it is younger than a second, otherwise a new one.</summary>
    internal Task<T> CurrentAsync()
    {
        lock (_lock)
        {
            if (_look is null || (_look.IsCompleted && Left() <= TimeSpan.Zero))
            {
                _takenAt = time.GetTimestamp();
                _look = Task.Run(take);
            }
            return _look;
        }
    }

    /// <summary>Each look from now on. All viewers wait until the same time, and the first that wakes up takes the look for all.</summary>
    internal async IAsyncEnumerable<T> FollowAsync([EnumeratorCancellation] CancellationToken cancellation)
    {
        Task<T>? last = null;
        while (true)
        {
            var look = CurrentAsync();
            if (look != last)
                yield return await look.WaitAsync(cancellation).ConfigureAwait(false);
            last = look;
            await Task.Delay(Wait(), time, cancellation).ConfigureAwait(false);
        }
    }

    private TimeSpan Left() => Interval - time.GetElapsedTime(_takenAt);

    // Timers count whole milliseconds. Rounded down, the wait would end before the next look is due.
    private TimeSpan Wait()
    {
        lock (_lock)
            return TimeSpan.FromMilliseconds(Math.Max(1, Math.Ceiling(Left().TotalMilliseconds)));
    }
}

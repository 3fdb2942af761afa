namespace Throttled.Projections.Waits;

/// <summary>Waits until the processes have done something that is stored. The wait may end earlier; what is stored stays.</summary>
/// <param name="time">The clock of the polls.</param>
/// <param name="onLong">Gets a notice once, if the wait takes 5 seconds; null for none.</param>
internal sealed class StoredWait(TimeProvider time, Action<string>? onLong)
{
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(5);

    /// <param name="isOver">Whether the wait is over.</param>
    /// <param name="notice">What is waited for, as sentences.</param>
    /// <param name="stored">What stays if the wait ends earlier, as sentences.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="StoredCommandException">The wait was cancelled.</exception>
    internal async Task UntilAsync(Func<Task<bool>> isOver, Func<string> notice, Func<string> stored, CancellationToken cancellation)
    {
        using var timer = time.CreateTimer(_ => onLong?.Invoke(notice()), null, Long, Timeout.InfiniteTimeSpan);
        try
        {
            while (!await isOver().ConfigureAwait(false))
                await Task.Delay(Poll, time, cancellation).ConfigureAwait(false);
        }
        catch (OperationCanceledException error)
        {
            throw new StoredCommandException(stored(), error);
        }
    }
}

using Throttled.Projections.Databases;

namespace Throttled.Projections.Waits;

/// <summary>Waits until the processes have done something that is stored. The wait may end earlier; what is stored stays.</summary>
/// <param name="time">The clock of the polls.</param>
/// <param name="onLong">Gets a notice once, if the wait takes 5 seconds; null for none.</param>
internal sealed class StoredWait(TimeProvider time, Action<string>? onLong)
{
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(5);

    /// <param name="isOver">Whether the wait is over. Transient faults of the database are repeated.</param>
    /// <param name="notice">What is waited for, as sentences.</param>
    /// <param name="stored">What stays if the wait ends earlier, as sentences.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="StoredCommandException">The wait was cancelled.</exception>
    internal async Task UntilAsync(Func<Task<bool>> isOver, Func<string> notice, Func<string> stored, CancellationToken cancellation)
    {
        using var timer = time.CreateTimer(_ => onLong?.Invoke(notice()), null, Long, Timeout.InfiniteTimeSpan);
        try
        {
            while (!await IsOverAsync(isOver).ConfigureAwait(false))
                await Task.Delay(Poll, time, cancellation).ConfigureAwait(false);
        }
        catch (OperationCanceledException error)
        {
            throw new StoredCommandException(stored(), error);
        }
        // A cancelled driver may throw any exception.
        catch (Exception error) when (cancellation.IsCancellationRequested)
        {
            throw new StoredCommandException(stored(), new(error.Message, error, cancellation));
        }
    }

    private static async Task<bool> IsOverAsync(Func<Task<bool>> isOver)
    {
        try
        {
            return await isOver().ConfigureAwait(false);
        }
        catch (Exception error) when (TransientErrors.Include(error))
        {
            return false;
        }
    }
}

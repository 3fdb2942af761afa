using System.Runtime.CompilerServices;
using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>
/// Reads a journal only where it has given out all that the lanes have handled. One that went back while nobody read it would give the events to come
/// numbers that the lanes are past, and they would never be handled.
/// </summary>
/// <param name="reads">The journal, or the shard of it.</param>
/// <param name="highest">The highest ordering that a lane of it is at.</param>
internal sealed class CheckedJournal(ShardReads reads, Func<long> highest)
{
    /// <exception cref="ProjectionException">A lane is ahead of the journal.</exception>
    /// <exception cref="JournalException">The journal does not answer.</exception>
    internal IAsyncEnumerable<JournalEvent> ReadAsync(long after) =>
        reads.LastGivenOut is { } ask ? ReadAsync(after, ask) : reads.Open(after);

    private async IAsyncEnumerable<JournalEvent> ReadAsync(
        long after, Func<CancellationToken, Task<long?>> ask, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        await CheckAsync(Math.Max(after, highest()), ask, cancellation).ConfigureAwait(false);
        await foreach (var stored in reads.Open(after).WithCancellation(cancellation).ConfigureAwait(false))
            yield return stored;
    }

    private async Task CheckAsync(long position, Func<CancellationToken, Task<long?>> ask, CancellationToken cancellation)
    {
        // Whoever has handled nothing is ahead of nothing.
        if (position > 0 && await LastAsync(ask, cancellation).ConfigureAwait(false) is { } last && last < position)
            throw Ahead(position, last);
    }

    // Whoever reads tries again after it.
    private async Task<long?> LastAsync(Func<CancellationToken, Task<long?>> ask, CancellationToken cancellation)
    {
        try
        {
            return await ask(cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (error is not (JournalException or ObjectDisposedException) && !cancellation.IsCancellationRequested)
        {
            throw new JournalException(reads.Prefix + error.Message, error);
        }
    }

    private ProjectionException Ahead(long position, long last) => new(FormattableString.Invariant(
        $"{reads.Prefix}The read model has handled the journal up to ordering {position}, but the last one that this journal gave out is {last}: it was restored or emptied, or it is another one. ")
        + "Events to come would be taken for handled. Restore the read model to the same time and resume it, or reset it.");
}

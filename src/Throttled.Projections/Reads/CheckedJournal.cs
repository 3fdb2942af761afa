using System.Runtime.CompilerServices;
using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>
/// Reads a journal only where it has given out all that the lanes have handled. One that went back while nobody read it would give the events to come
/// numbers that the lanes are past, and they would never be handled.
/// </summary>
/// <param name="open">Reads the events of the projection behind an ordering, and those to come.</param>
/// <param name="lastGivenOut">Asks for the highest ordering ever given out; what it asks for is null where the journal cannot tell.</param>
/// <param name="highest">The highest ordering that a lane is at.</param>
internal sealed class CheckedJournal(
    Func<long, IAsyncEnumerable<JournalEvent>> open, Func<CancellationToken, Task<long?>>? lastGivenOut, Func<long> highest)
{
    /// <exception cref="ProjectionException">A lane is ahead of the journal.</exception>
    /// <exception cref="JournalException">The journal does not answer.</exception>
    internal IAsyncEnumerable<JournalEvent> ReadAsync(long after) => lastGivenOut is null ? open(after) : ReadAsync(after, lastGivenOut);

    private async IAsyncEnumerable<JournalEvent> ReadAsync(
        long after, Func<CancellationToken, Task<long?>> ask, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        await CheckAsync(Math.Max(after, highest()), ask, cancellation).ConfigureAwait(false);
        await foreach (var stored in open(after).WithCancellation(cancellation).ConfigureAwait(false))
            yield return stored;
    }

    private static async Task CheckAsync(long position, Func<CancellationToken, Task<long?>> ask, CancellationToken cancellation)
    {
        // Whoever has handled nothing is ahead of nothing.
        if (position > 0 && await LastAsync(ask, cancellation).ConfigureAwait(false) is { } last && last < position)
            throw Ahead(position, last);
    }

    // Whoever reads tries again after it.
    private static async Task<long?> LastAsync(Func<CancellationToken, Task<long?>> ask, CancellationToken cancellation)
    {
        try
        {
            return await ask(cancellation).ConfigureAwait(false);
        }
        catch (Exception error) when (error is not (JournalException or ObjectDisposedException) && !cancellation.IsCancellationRequested)
        {
            throw new JournalException(error.Message, error);
        }
    }

    private static ProjectionException Ahead(long position, long last) => new(FormattableString.Invariant(
        $"The read model has handled the journal up to ordering {position}, but the last one that this journal gave out is {last}: it was restored or emptied, or it is another one. ")
        + "Events to come would be taken for handled. Restore the read model to the same time and resume it, or reset it.");
}

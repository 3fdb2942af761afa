using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>
/// Refuses a journal that has not given out all that the lanes have handled. One that went back while nobody read it would give the events to come
/// numbers that the lanes are past, and they would never be handled.
/// </summary>
/// <param name="shard">The journal, or the shard of it.</param>
/// <param name="highest">The highest ordering that a lane of it is at.</param>
internal sealed class CheckedJournal(SourceShard shard, Func<long> highest)
{
    /// <param name="after">Behind which ordering it is about to be read.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="ProjectionException">A lane is ahead of the journal.</exception>
    /// <exception cref="JournalException">The journal does not answer.</exception>
    internal async Task CheckAsync(long after, CancellationToken cancellation)
    {
        var position = Math.Max(after, highest());
        // Whoever has handled nothing is ahead of nothing.
        if (shard.LastIssued is { } ask && position > 0 && await LastAsync(ask, cancellation).ConfigureAwait(false) is { } last && last < position)
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
            throw new JournalException(shard.Prefix + error.Message, error);
        }
    }

    private ProjectionException Ahead(long offset, long last) => new(FormattableString.Invariant(
        $"{shard.Prefix}The read model has handled the journal up to ordering {offset}, but the last one that this journal gave out is {last}: it was restored or emptied, or it is another one. ")
        + "Events to come would be taken for handled. Restore the read model to the same time and resume it, or reset it.");
}

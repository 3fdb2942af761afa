using Throttled.Journal;

namespace Throttled.Projections.Reads;

/// <summary>
/// Refuses a journal that has issued fewer orderings than the lanes have handled. If a journal went back while no process read it, new events would
/// get orderings that the lanes have passed, and would never be handled. <paramref name="highest"/> returns the highest offset of the shard's lanes.
/// </summary>
internal sealed class CheckedJournal(SourceShard shard, Func<long> highest)
{
    /// <summary>Called before a read that begins after an ordering.</summary>
    /// <exception cref="ProjectionException">A lane is ahead of the journal.</exception>
    /// <exception cref="JournalException">The journal does not answer.</exception>
    internal async Task CheckAsync(long after, CancellationToken cancellation)
    {
        var position = Math.Max(after, highest());
        // A lane that has handled nothing cannot be ahead.
        if (shard.LastIssued is { } ask && position > 0 && await LastAsync(ask, cancellation).ConfigureAwait(false) is { } last && last < position)
            throw Ahead(position, last);
    }

    // The reader repeats the read after a JournalException.
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
        $"{shard.Prefix}The read model has handled the journal up to ordering {offset}, but the highest one that this journal ever issued is {last}: it was restored or emptied, or it is another journal. ")
        + "New events would be skipped as already handled. Restore the read model to the same time and resume it, or reset it.");
}

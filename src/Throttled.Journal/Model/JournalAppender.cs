using Throttled.Journal.Database;

namespace Throttled.Journal;

/// <summary>Creates a journal's tables and appends events to them, many at a time. Not thread-safe: one call at a time.</summary>
public abstract class JournalAppender : IAsyncDisposable
{
    private protected JournalAppender()
    {
    }

    /// <summary>Creates the tables and indexes that do not exist yet.</summary>
    /// <param name="cancellationToken">Cancels the call; tables that were already created may remain.</param>
    public abstract Task CreateAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Appends events in the given order, in one transaction: all or none. The appender of a sharded journal (<see cref="ShardedJournal"/>) uses one
    /// transaction per shard. It throws <see cref="ShardedAppendException"/> if only some shards append their events.
    /// </summary>
    /// <param name="events">The events. Their <see cref="JournalEvent.Ordering"/> is ignored; the database assigns it.</param>
    /// <param name="cancellationToken">Cancels the call; nothing is appended.</param>
    /// <exception cref="ArgumentException">
    /// A persistence id or a tag is empty, or contains a NUL character or half of a surrogate pair. Or a tag contains the separator while tags are in
    /// a column. Or a sequence number is below 1.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another call is still running.</exception>
    public abstract Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default);

    /// <exception cref="ArgumentException">An event is not valid for this journal.</exception>
    internal abstract void Check(IEnumerable<JournalEvent> events);

    /// <summary>Checks that the journal belongs to this shard. Writes the mark if there is none yet.</summary>
    /// <exception cref="ShardMarkException">The events were written with another map.</exception>
    internal abstract Task MarkAsync(ShardIdentity identity, CancellationToken cancellation);

    /// <summary>Closes the connection.</summary>
    public abstract ValueTask DisposeAsync();
}

/// <summary>Rejects a call while another one runs. Thread-safe.</summary>
/// <param name="who">The called object, in the user's words, for the message.</param>
internal sealed class SingleCall(string who)
{
    private int _running;

    /// <exception cref="InvalidOperationException">Another call is still running.</exception>
    internal async Task OneAtATimeAsync(Func<Task> call)
    {
        if (Interlocked.Exchange(ref _running, 1) == 1)
            throw new InvalidOperationException($"{who} takes one call at a time, and one is still running; await it first.");
        try
        {
            await call().ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _running, 0);
        }
    }
}

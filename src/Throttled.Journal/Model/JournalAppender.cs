using Throttled.Journal.Database;

namespace Throttled.Journal;

/// <summary>Creates a journal's tables and appends events to them, many at a time. Not thread-safe: one call at a time.</summary>
public abstract class JournalAppender : IAsyncDisposable
{
    private protected JournalAppender()
    {
    }

    /// <summary>Creates the tables and indexes that are not there yet.</summary>
    /// <param name="cancellationToken">Gives up; what was created may stay.</param>
    public abstract Task CreateAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Appends events in the order given, all of them or none: in one transaction. That of a sharded journal (<see cref="ShardedJournal"/>) has one in each
    /// shard, and throws <see cref="ShardedAppendException"/> where only some take theirs.
    /// </summary>
    /// <param name="events">Their <see cref="JournalEvent.Ordering"/> is not looked at; the database gives it.</param>
    /// <param name="cancellationToken">Gives up; nothing was appended then.</param>
    /// <exception cref="ArgumentException">
    /// An event's persistence id or tag is empty, has a NUL character or half of a surrogate pair, or a tag the separator where tags stand in a
    /// column; or a sequence number is below 1.
    /// </exception>
    /// <exception cref="InvalidOperationException">Another call is still running.</exception>
    public abstract Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default);

    /// <exception cref="ArgumentException">An event cannot be kept.</exception>
    internal abstract void Check(IEnumerable<JournalEvent> events);

    /// <summary>Makes sure that the journal is that of a shard, and writes that down beside it where nothing stands there yet.</summary>
    /// <exception cref="ShardMarkException">Its events were written with another map.</exception>
    internal abstract Task MarkAsync(ShardIdentity identity, CancellationToken cancellation);

    /// <summary>Closes the connection.</summary>
    public abstract ValueTask DisposeAsync();
}

/// <summary>Refuses a second call while one runs. Thread-safe.</summary>
/// <param name="who">Who is called, as the user knows it.</param>
internal sealed class SingleCall(string who)
{
    private int _running;

    /// <exception cref="InvalidOperationException">A call runs.</exception>
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

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

    /// <summary>Appends events in the order given, all of them or none: in one transaction.</summary>
    /// <param name="events">Their <see cref="JournalEvent.Ordering"/> is not looked at; the database gives it.</param>
    /// <param name="cancellationToken">Gives up; nothing was appended then.</param>
    /// <exception cref="ArgumentException">A tag cannot be kept as the journal keeps tags.</exception>
    public abstract Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default);

    /// <summary>Closes the connection.</summary>
    public abstract ValueTask DisposeAsync();
}

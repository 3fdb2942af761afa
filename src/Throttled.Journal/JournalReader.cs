using System.Buffers;
using System.Text;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal;

/// <summary>
/// Reads one journal: any number of queries with few SQL statements. Open one reader per journal and process, from the package of the database, and
/// keep it. Opening does not access the database; the first query does. Thread-safe.
/// </summary>
public sealed class JournalReader : IAsyncDisposable, IDisposable
{
    private readonly bool _isBorrowed;

    internal JournalReader(IJournalDatabase database, JournalOptions options)
        : this(new JournalEngine(database, options))
    {
    }

    internal JournalReader(IJournal journal, bool isBorrowed = false) => (Journal, _isBorrowed) = (journal, isBorrowed);

    /// <summary>For callers that read pages instead of events.</summary>
    internal IJournal Journal { get; }

    /// <summary>The engine of a journal that has only one.</summary>
    internal JournalEngine Engine => (JournalEngine)Journal.Shards.Single();

    /// <summary>
    /// The events of one persistence id, present and future. The query ends when it has passed <paramref name="to"/>. Each event comes once, in the
    /// order of the sequence numbers. Deleted events are left out.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="from">The first sequence number, included.</param>
    /// <param name="to">
    /// The last sequence number, included. The query ends when a row at or above it exists, deleted or not. It ends at once if this is below
    /// <paramref name="from"/>.
    /// </param>
    /// <exception cref="ArgumentException">The id is empty or is not well-formed UTF-16.</exception>
    /// <returns>
    /// The events. Enumerating fails with <see cref="JournalException"/> if the database refuses the query and retrying does not help. It fails with
    /// <see cref="JournalRewoundException"/> if the orderings went back, and with <see cref="ObjectDisposedException"/> if the reader is disposed.
    /// While the database is unavailable, the query waits.
    /// </returns>
    public IAsyncEnumerable<JournalEvent> EventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: true);

    /// <summary>
    /// The events of one persistence id that exist when the query reads them. If there is more than one page, this includes events written after the
    /// query began. Otherwise as <see cref="EventsByPersistenceId"/>.
    /// </summary>
    /// <inheritdoc cref="EventsByPersistenceId" path="/param|/exception"/>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: false);

    /// <summary>
    /// All events in the order of the journal, present and future. A transaction may commit an event below events that are already visible. The query
    /// waits for such events, so a stored position never skips one.
    /// </summary>
    /// <param name="after">The query begins after this ordering: the ordering of the last event that you handled, or 0 for the first event.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    /// <returns>The events. Enumerating fails as in <see cref="EventsByPersistenceId"/>.</returns>
    public IAsyncEnumerable<JournalEvent> AllEvents(long after = 0) => Ordered(EventFilter.All, after, isLive: true);

    /// <summary>
    /// All events of a sharded journal (<see cref="ShardedJournal"/>). The events of each shard come in its order; the shards are interleaved as
    /// their events arrive. Otherwise as <see cref="AllEvents(long)"/>.
    /// </summary>
    /// <param name="after">The query begins after this position: <see cref="ShardedPosition.After"/> of the last event that you handled.</param>
    /// <exception cref="ArgumentException">The position has shards that this journal does not have.</exception>
    public IAsyncEnumerable<JournalEvent> AllEvents(ShardedPosition after) => Ordered(EventFilter.All, after, isLive: true);

    /// <summary>
    /// All events that exist now; otherwise as <see cref="AllEvents(long)"/>. The query waits for open transactions that may still commit events
    /// among them.
    /// </summary>
    /// <param name="after">The query begins after this ordering; 0 for the first event.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentAllEvents(long after = 0) => Ordered(EventFilter.All, after, isLive: false);

    /// <summary>
    /// All events of a sharded journal that exist now; otherwise as <see cref="AllEvents(ShardedPosition)"/>. The query waits for shards that are
    /// unavailable.
    /// </summary>
    /// <param name="after">The query begins after this position.</param>
    /// <exception cref="ArgumentException">The position has shards that this journal does not have.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentAllEvents(ShardedPosition after) => Ordered(EventFilter.All, after, isLive: false);

    /// <summary>The events with a tag; otherwise as <see cref="AllEvents(long)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The query begins after this ordering; 0 for the first event.</param>
    /// <exception cref="ArgumentException">The tag is empty, is not well-formed UTF-16, or contains the separator while tags are in a column.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> EventsByTag(string tag, long after = 0) => Ordered(Tagged(tag), after, isLive: true);

    /// <summary>The events of a sharded journal with a tag; otherwise as <see cref="AllEvents(ShardedPosition)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The query begins after this position.</param>
    /// <exception cref="ArgumentException">The tag is not valid, or the position has shards that this journal does not have.</exception>
    public IAsyncEnumerable<JournalEvent> EventsByTag(string tag, ShardedPosition after) => Ordered(Tagged(tag), after, isLive: true);

    /// <summary>The events with a tag that exist now; otherwise as <see cref="CurrentAllEvents(long)"/>.</summary>
    /// <inheritdoc cref="EventsByTag(string, long)" path="/param|/exception"/>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByTag(string tag, long after = 0) => Ordered(Tagged(tag), after, isLive: false);

    /// <summary>The events of a sharded journal with a tag that exist now; otherwise as <see cref="CurrentAllEvents(ShardedPosition)"/>.</summary>
    /// <inheritdoc cref="EventsByTag(string, ShardedPosition)" path="/param|/exception"/>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByTag(string tag, ShardedPosition after) => Ordered(Tagged(tag), after, isLive: false);

    /// <summary>The events whose persistence ids are in some slices; otherwise as <see cref="AllEvents(long)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The query begins after this ordering; 0 for the first event.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are not a valid range, or the ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> EventsBySlices(int min, int max, long after = 0) => Ordered(Sliced(min, max), after, isLive: true);

    /// <summary>The events of some slices of a sharded journal; otherwise as <see cref="AllEvents(ShardedPosition)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The query begins after this position.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are not a valid range.</exception>
    /// <exception cref="ArgumentException">The position has shards that this journal does not have.</exception>
    public IAsyncEnumerable<JournalEvent> EventsBySlices(int min, int max, ShardedPosition after) => Ordered(Sliced(min, max), after, isLive: true);

    /// <summary>The events of some slices that exist now; otherwise as <see cref="CurrentAllEvents(long)"/>.</summary>
    /// <inheritdoc cref="EventsBySlices(int, int, long)" path="/param|/exception"/>
    public IAsyncEnumerable<JournalEvent> CurrentEventsBySlices(int min, int max, long after = 0) => Ordered(Sliced(min, max), after, isLive: false);

    /// <summary>The events of some slices of a sharded journal that exist now; otherwise as <see cref="CurrentAllEvents(ShardedPosition)"/>.</summary>
    /// <inheritdoc cref="EventsBySlices(int, int, ShardedPosition)" path="/param|/exception"/>
    public IAsyncEnumerable<JournalEvent> CurrentEventsBySlices(int min, int max, ShardedPosition after) => Ordered(Sliced(min, max), after, isLive: false);

    /// <summary>
    /// The persistence ids that have events, present and future, each once and in no particular order. All queries of a reader for future ids share
    /// one list of all ids in memory.
    /// </summary>
    /// <returns>The ids. Enumerating fails as in <see cref="EventsByPersistenceId"/>.</returns>
    public IAsyncEnumerable<string> PersistenceIds() => Journal.Ids(isLive: true);

    /// <summary>The persistence ids that have events now, each once and in no particular order.</summary>
    /// <returns>The ids. Enumerating fails as in <see cref="EventsByPersistenceId"/>.</returns>
    public IAsyncEnumerable<string> CurrentPersistenceIds() => Journal.Ids(isLive: false);

    /// <summary>
    /// Ends every query and waits until every statement has ended. Does nothing if the reader comes from an Akka.NET read journal: that closes with
    /// its actor system.
    /// </summary>
    public ValueTask DisposeAsync() => _isBorrowed ? default : Journal.DisposeAsync();

    /// <summary>As <see cref="DisposeAsync"/>, but blocks the thread until every statement has ended. For containers that are disposed synchronously.</summary>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>Checks all databases at the same time. One entry for each shard, in shard order.</summary>
    internal async Task<IReadOnlyList<JournalHealth>> CheckHealthAsync(CancellationToken cancellation) =>
        await Task.WhenAll(Journal.Shards.Select(part => part.CheckHealthAsync(cancellation))).ConfigureAwait(false);

    private JournalQuery<JournalEvent> ById(string persistenceId, long from, long to, bool isLive)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        if (!OptionCheck.IsWellFormed(persistenceId))
            throw new ArgumentException("The persistence id has half of a surrogate pair, which no database can hold. Correct the id.", nameof(persistenceId));
        return Journal.Events(new ByIdQuery(persistenceId, new(from, to), isLive));
    }

    private JournalQuery<JournalEvent> Ordered(EventFilter filter, long after, bool isLive)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        return Journal.Events(new OrderedQuery(filter, after, isLive));
    }

    private JournalQuery<JournalEvent> Ordered(EventFilter filter, ShardedPosition after, bool isLive)
    {
        ArgumentNullException.ThrowIfNull(after);
        return Journal.Events(filter, after, isLive);
    }

    private EventFilter Tagged(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        if (!OptionCheck.IsWellFormed(tag))
            throw new ArgumentException("The tag has half of a surrogate pair, which no database can hold. Correct the tag.", nameof(tag));
        var tables = Journal.Shards[0].Options.Tables;
        if (tables.TagMode == TagMode.Csv && tag.Contains(tables.TagSeparator, StringComparison.Ordinal))
            throw new ArgumentException(
                $"The tag \"{tag}\" contains '{tables.TagSeparator}', which separates the tags in '{tables.TagsColumn}'. No event can have this tag. "
                + "Use another tag, or set 'TagMode' to TagTable.", nameof(tag));
        return new() { Tag = tag };
    }

    private static EventFilter Sliced(int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(min);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(max, JournalSlices.Count);
        return new() { Slices = new(min, max) };
    }
}

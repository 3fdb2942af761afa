using System.Buffers;
using System.Text;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Throttled.Journal;

/// <summary>
/// Reads one journal: any number of queries over few statements. Open one per journal and process, from the database's own
/// package, and keep it. Opening does not touch the database; the first query does. Thread-safe.
/// </summary>
public sealed class JournalReader : IAsyncDisposable, IDisposable
{
    private readonly IJournal _journal;
    private readonly bool _isBorrowed;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal JournalReader(IJournalDatabase database, JournalOptions options)
        : this(new JournalEngine(database, options))
    {
    }

    /// <param name="journal">The journal.</param>
    /// <param name="isBorrowed">Whether it lives on when this reader is disposed.</param>
    internal JournalReader(IJournal journal, bool isBorrowed = false) => (_journal, _isBorrowed) = (journal, isBorrowed);

    /// <summary>For what builds on pages instead of events.</summary>
    internal IJournal Journal => _journal;

    /// <summary>The engine of a journal that has only one.</summary>
    internal JournalEngine Engine => (JournalEngine)_journal.Shards.Single();

    /// <summary>
    /// The events of one persistence id, and those to come: the query does not end before it has passed
    /// <paramref name="to"/>. Each event comes once, in the order of the sequence numbers; deleted ones are left out.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="from">The first sequence number, included.</param>
    /// <param name="to">
    /// The last sequence number, included. The query ends as soon as a row at or past it exists, deleted or not, and at once
    /// where it is below <paramref name="from"/>.
    /// </param>
    /// <exception cref="ArgumentException">The id is empty, or is no well-formed UTF-16.</exception>
    /// <returns>
    /// The events. Enumerating fails with <see cref="JournalException"/> where the database refuses the query for a reason
    /// that waiting does not cure, with <see cref="JournalRewoundException"/> where the orderings went back, and with
    /// <see cref="ObjectDisposedException"/> where the reader is disposed; a database that is away is waited for.
    /// </returns>
    public IAsyncEnumerable<JournalEvent> EventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: true);

    /// <summary>
    /// The events of one persistence id that are there when it reads them: behind a full page, also what was written since it began. Otherwise as
    /// <see cref="EventsByPersistenceId"/>.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="from">The first sequence number, included.</param>
    /// <param name="to">The last sequence number, included.</param>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: false);

    /// <summary>
    /// All events in the order of the journal, and those to come. An event that is committed late, below others that were
    /// there before, is waited for: a position that was stored never skips it.
    /// </summary>
    /// <param name="after">The ordering behind which they begin: that of the last event that was handled; 0 for the first.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    /// <returns>
    /// The events. Enumerating fails as in <see cref="EventsByPersistenceId"/>.
    /// </returns>
    public IAsyncEnumerable<JournalEvent> AllEvents(long after = 0) => Ordered(EventFilter.All, after, isLive: true);

    /// <summary>
    /// All events of a sharded journal (<see cref="ShardedJournal"/>): those of each shard in its order, and the shards' as they come; otherwise as
    /// <see cref="AllEvents(long)"/>.
    /// </summary>
    /// <param name="after">The position behind which they begin: <see cref="ShardedPosition.After"/> the last event that was handled.</param>
    /// <exception cref="ArgumentException">The position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> AllEvents(ShardedPosition after) => Ordered(EventFilter.All, after, isLive: true);

    /// <summary>All events that are there now; otherwise as <see cref="AllEvents(long)"/>. It waits for what may still be committed among them.</summary>
    /// <param name="after">The ordering behind which they begin; 0 for the first.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentAllEvents(long after = 0) => Ordered(EventFilter.All, after, isLive: false);

    /// <summary>All events of a sharded journal that are there now; otherwise as <see cref="AllEvents(ShardedPosition)"/>. It waits for shards that are away.</summary>
    /// <param name="after">The position behind which they begin.</param>
    /// <exception cref="ArgumentException">The position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentAllEvents(ShardedPosition after) => Ordered(EventFilter.All, after, isLive: false);

    /// <summary>The events with a tag; otherwise as <see cref="AllEvents(long)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The ordering behind which they begin; 0 for the first.</param>
    /// <exception cref="ArgumentException">The tag is empty, is no well-formed UTF-16, or has the separator where tags stand in a column.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> EventsByTag(string tag, long after = 0) => Ordered(Tagged(tag), after, isLive: true);

    /// <summary>The events of a sharded journal with a tag; otherwise as <see cref="AllEvents(ShardedPosition)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The position behind which they begin.</param>
    /// <exception cref="ArgumentException">The tag cannot be one, or the position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> EventsByTag(string tag, ShardedPosition after) => Ordered(Tagged(tag), after, isLive: true);

    /// <summary>The events with a tag that are there now; otherwise as <see cref="CurrentAllEvents(long)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The ordering behind which they begin; 0 for the first.</param>
    /// <exception cref="ArgumentException">The tag is empty, is no well-formed UTF-16, or has the separator where tags stand in a column.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByTag(string tag, long after = 0) => Ordered(Tagged(tag), after, isLive: false);

    /// <summary>The events of a sharded journal with a tag that are there now; otherwise as <see cref="CurrentAllEvents(ShardedPosition)"/>.</summary>
    /// <param name="tag">The tag, compared ordinally.</param>
    /// <param name="after">The position behind which they begin.</param>
    /// <exception cref="ArgumentException">The tag cannot be one, or the position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByTag(string tag, ShardedPosition after) => Ordered(Tagged(tag), after, isLive: false);

    /// <summary>The events whose persistence ids are in some slices; otherwise as <see cref="AllEvents(long)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The ordering behind which they begin; 0 for the first.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are none, or the ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> EventsBySlices(int min, int max, long after = 0) => Ordered(Sliced(min, max), after, isLive: true);

    /// <summary>The events of some slices of a sharded journal; otherwise as <see cref="AllEvents(ShardedPosition)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The position behind which they begin.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are none.</exception>
    /// <exception cref="ArgumentException">The position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> EventsBySlices(int min, int max, ShardedPosition after) => Ordered(Sliced(min, max), after, isLive: true);

    /// <summary>The events of some slices that are there now; otherwise as <see cref="CurrentAllEvents(long)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The ordering behind which they begin; 0 for the first.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are none, or the ordering is negative.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentEventsBySlices(int min, int max, long after = 0) =>
        Ordered(Sliced(min, max), after, isLive: false);

    /// <summary>The events of some slices of a sharded journal that are there now; otherwise as <see cref="CurrentAllEvents(ShardedPosition)"/>.</summary>
    /// <param name="min">The first slice, from 0 to 1,023; see <see cref="JournalSlices"/>.</param>
    /// <param name="max">The last slice, included; from <paramref name="min"/> to 1,023.</param>
    /// <param name="after">The position behind which they begin.</param>
    /// <exception cref="ArgumentOutOfRangeException">The slices are none.</exception>
    /// <exception cref="ArgumentException">The position is of shards that this journal has not.</exception>
    public IAsyncEnumerable<JournalEvent> CurrentEventsBySlices(int min, int max, ShardedPosition after) =>
        Ordered(Sliced(min, max), after, isLive: false);

    /// <summary>
    /// The persistence ids that have events, and those to come, each once and in no particular order. All such queries of a reader share
    /// one list in memory, which is as long as the ids are.
    /// </summary>
    /// <returns>The ids. Enumerating fails as in <see cref="EventsByPersistenceId"/>.</returns>
    public IAsyncEnumerable<string> PersistenceIds() => _journal.Ids(isLive: true);

    /// <summary>The persistence ids that have events now, each once and in no particular order.</summary>
    /// <returns>The ids. Enumerating fails as in <see cref="EventsByPersistenceId"/>.</returns>
    public IAsyncEnumerable<string> CurrentPersistenceIds() => _journal.Ids(isLive: false);

    /// <summary>Ends every query and waits until every statement has ended. Does nothing for the reader of an Akka.NET read journal, which closes with its actor system.</summary>
    public ValueTask DisposeAsync() => _isBorrowed ? default : _journal.DisposeAsync();

    /// <summary>As <see cref="DisposeAsync"/>, and blocks the thread until every statement has ended: for containers that are disposed of synchronously.</summary>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>Checks the health of each database, at all of them at once; one entry for each shard, in their order.</summary>
    internal async Task<IReadOnlyList<JournalHealth>> CheckHealthAsync(CancellationToken cancellation) =>
        await Task.WhenAll(_journal.Shards.Select(part => part.CheckHealthAsync(cancellation))).ConfigureAwait(false);

    private JournalQuery<JournalEvent> ById(string persistenceId, long from, long to, bool isLive)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        if (!OptionCheck.IsWellFormed(persistenceId))
            throw new ArgumentException("The persistence id has half of a surrogate pair; no database can hold it.", nameof(persistenceId));
        return _journal.Events(new ByIdQuery(persistenceId, new(from, to), isLive));
    }

    private JournalQuery<JournalEvent> Ordered(EventFilter filter, long after, bool isLive)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(after);
        return _journal.Events(new OrderedQuery(filter, after, isLive));
    }

    private JournalQuery<JournalEvent> Ordered(EventFilter filter, ShardedPosition after, bool isLive)
    {
        ArgumentNullException.ThrowIfNull(after);
        return _journal.Events(filter, after, isLive);
    }

    private EventFilter Tagged(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        if (!OptionCheck.IsWellFormed(tag))
            throw new ArgumentException("The tag has half of a surrogate pair; no database can hold it.", nameof(tag));
        var tables = _journal.Shards[0].Options.Tables;
        if (tables.TagMode == TagMode.Csv && tag.Contains(tables.TagSeparator, StringComparison.Ordinal))
            throw new ArgumentException(
                $"The tag \"{tag}\" contains '{tables.TagSeparator}', which stands between the tags in '{tables.TagsColumn}': no event can have it. "
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

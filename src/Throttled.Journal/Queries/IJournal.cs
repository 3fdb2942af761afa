using Throttled.Journal.Diagnostics;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>The journal that a reader reads: in one database, or divided among shards.</summary>
internal interface IJournal : IAsyncDisposable
{
    /// <summary>The journals of the databases; only one if the journal is not sharded.</summary>
    IReadOnlyList<IJournalShard> Shards { get; }

    /// <summary>Which shard has which slices; null if the journal is not sharded.</summary>
    ShardMap? Map { get; }

    JournalQuery<JournalEvent> Events(ByIdQuery query);

    /// <exception cref="ArgumentException">The query begins after an ordering above 0, and there are several shards.</exception>
    JournalQuery<JournalEvent> Events(OrderedQuery query);

    /// <exception cref="ArgumentException">A shard of this journal has slices of several shards of the position.</exception>
    JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive);

    JournalQuery<string> Ids(bool isLive);
}

/// <summary>A journal in one database.</summary>
internal interface IJournalShard : IJournal
{
    JournalOptions Options { get; }

    /// <summary>
    /// Whether a live query of some slices costs this process less than one of all events, because something else divides them. If not, queries of all
    /// slices share one read.
    /// </summary>
    bool DividesSlices => false;

    /// <summary>Checks the health of the journal. Concurrent calls share one statement, which runs beside those of the queries.</summary>
    Task<JournalHealth> CheckHealthAsync(CancellationToken cancellation);

    /// <summary>
    /// The highest ordering in the journal; 0 if it is empty. Concurrent calls share one statement, so the result may lack events that were committed
    /// just before the call.
    /// </summary>
    Task<long> EndAsync(CancellationToken cancellation);

    /// <summary>
    /// The highest ordering that the journal ever issued, even if its event is deleted; null if the database does not report it. If a stored ordering
    /// is higher, it is from another journal, or from this journal before a rewind.
    /// </summary>
    Task<long?> LastIssuedAsync(CancellationToken cancellation);

    /// <summary>
    /// The ordering after which a reader gets every event that commits from now on. Usually it is the journal end. It is lower if transactions are open
    /// that may commit an ordering below the end; some events above it may then have been committed before.
    /// </summary>
    Task<long> NowAsync(CancellationToken cancellation);
}

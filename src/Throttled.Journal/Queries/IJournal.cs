using Throttled.Journal.Diagnostics;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Queries;

/// <summary>What a reader reads: a journal by itself, or one that is divided among shards.</summary>
internal interface IJournal : IAsyncDisposable
{
    /// <summary>The journals of its databases; one where it is not divided.</summary>
    IReadOnlyList<IJournalShard> Shards { get; }

    /// <summary>Which of them has which slices; null where it is not divided.</summary>
    ShardMap? Map { get; }

    JournalQuery<JournalEvent> Events(ByIdQuery query);

    /// <exception cref="ArgumentException">The query begins at an ordering, and there are several shards.</exception>
    JournalQuery<JournalEvent> Events(OrderedQuery query);

    /// <param name="filter">Which events.</param>
    /// <param name="after">Behind which they begin.</param>
    /// <param name="isLive">Whether the query goes on at the end of the journal.</param>
    /// <exception cref="ArgumentException">The position is of another map.</exception>
    JournalQuery<JournalEvent> Events(EventFilter filter, ShardedPosition after, bool isLive);

    JournalQuery<string> Ids(bool isLive);
}

/// <summary>A journal in one database.</summary>
internal interface IJournalShard : IJournal
{
    JournalOptions Options { get; }

    /// <summary>Looks how the journal is doing; one statement, beside those of the queries, for all who look at the time.</summary>
    Task<JournalHealth> CheckHealthAsync(CancellationToken cancellation);

    /// <summary>
    /// The highest ordering in the journal; 0 in an empty one. Where others ask at the time, what was committed a moment ago may be missing.
    /// </summary>
    Task<long> EndAsync(CancellationToken cancellation);

    /// <summary>
    /// The highest ordering that the journal ever issued, deleted or not; null where the database cannot tell. Whoever stored a higher one has it
    /// of another journal, or of this one before it was rewound.
    /// </summary>
    Task<long?> LastIssuedAsync(CancellationToken cancellation);
}

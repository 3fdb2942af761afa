using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>What a reader reads: a journal by itself, or one that is divided among shards.</summary>
internal interface IJournal : IAsyncDisposable
{
    /// <summary>The engines of its databases; one where it is not divided.</summary>
    IReadOnlyList<JournalEngine> Engines { get; }

    /// <summary>The journals of its databases, in the same order.</summary>
    IReadOnlyList<ISingleJournal> Parts { get; }

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
internal interface ISingleJournal : IJournal
{
    /// <inheritdoc cref="JournalEngine.EndAsync"/>
    Task<long> EndAsync(CancellationToken cancellation);

    /// <inheritdoc cref="JournalEngine.LastGivenOutAsync"/>
    Task<long?> LastGivenOutAsync(CancellationToken cancellation);
}

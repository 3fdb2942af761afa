namespace Throttled.Journal.Rows;

/// <summary>The request of a poll: the keys from a position on, and the keys that were committed late, in the gaps below it.</summary>
/// <param name="From">
/// The position, included: the highest ordering seen so far; 0 at the start. The row at the position shows whether the journal is still the same.
/// </param>
/// <param name="Gaps">Missing orderings below the position that may still be committed.</param>
/// <param name="Limit">The most keys to read from the position on, and also the most keys to read from the gaps.</param>
internal sealed record KeysRequest(long From, IReadOnlyList<OrderingRange> Gaps, int Limit)
{
    /// <summary>Whether to read the open transactions after the keys.</summary>
    internal bool WithOpenTransactions { get; init; }

    /// <summary>Whether the open transactions are read only if an ordering is still missing in the gaps.</summary>
    internal bool OnlyForGaps { get; init; }

    /// <summary>Whether to read the tags of all keys above the position and in the gaps.</summary>
    internal bool WithTags { get; init; }

    /// <summary>Receives the rows above the position that are not deleted, and may receive some of those in the gaps; null if only keys are needed.</summary>
    internal TailRows? Rows { get; init; }
}

/// <summary>The result of a poll.</summary>
/// <param name="Above">Keys at or above the position, ascending by ordering. Up to the last one, none is left out.</param>
/// <param name="Late">Keys found in the gaps, ascending by ordering.</param>
/// <param name="OpenTransactions">As in <see cref="TailStart"/>; null also if they were not read.</param>
internal sealed record KeysResult(IReadOnlyList<JournalKey> Above, IReadOnlyList<JournalKey> Late, IReadOnlySet<string>? OpenTransactions)
{
    /// <summary>Whether there may be more keys, because the limit was reached or there was no room for rows.</summary>
    internal bool IsTruncated { get; init; }

    /// <summary>
    /// The highest ordering that the database ever issued. It is read after the keys, and only if no row is at the position. If it is below the
    /// position, the journal was rewound. Null if it was not read or the database does not report it.
    /// </summary>
    internal long? LastIssued { get; init; }

    /// <summary>
    /// The run of the server that answered, as <c>server/start</c>. It changes when the server restarts or another server takes over. A running
    /// server may report two different starts. Null if the database does not report it.
    /// </summary>
    internal string? Server { get; init; }

    /// <summary>As in a probe's result; null also if the open transactions were not read.</summary>
    internal string? OrderRefusal { get; init; }

    /// <summary>The tags by ordering, for keys that have tags. Empty if they were not requested or come with the rows.</summary>
    internal IReadOnlyDictionary<long, IReadOnlyList<string>> Tags { get; init; } = NoTags;

    private static readonly Dictionary<long, IReadOnlyList<string>> NoTags = [];
}

/// <summary>The start of the tail.</summary>
/// <param name="Last">The key with the highest ordering; null in an empty journal.</param>
/// <param name="OpenTransactions">
/// The open transactions that may still commit an ordering at or below that key, read after it. Empty if there are none; null if the database does
/// not report them.
/// </param>
internal sealed record TailStart(JournalKey? Last, IReadOnlySet<string>? OpenTransactions)
{
    /// <summary>Why queries in journal order would miss events, as a sentence; null if they do not.</summary>
    internal string? OrderRefusal { get; init; }
}

/// <summary>The columns that the tail reads of each new row.</summary>
internal readonly record struct JournalKey(long Ordering, string PersistenceId, long SequenceNumber);

/// <summary>A range of orderings, both ends included.</summary>
internal readonly record struct OrderingRange(long First, long Last);

/// <summary>
/// The whole rows that a statement reads for the tail. The database adds them in any order as they arrive, until there are no more or
/// <see cref="Add"/> returns false. Used by one thread at a time.
/// </summary>
internal sealed class TailRows(IReadOnlyList<long> orderings, ByteBudget budget)
{
    private readonly List<JournalEvent> _rows = [];

    /// <summary>The orderings to read; not used if the rows come with a poll.</summary>
    internal IReadOnlyList<long> Orderings => orderings;

    internal IReadOnlyList<JournalEvent> Events => _rows;

    /// <summary>Whether <see cref="Add"/> returned false.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>The rows at or above an ordering; their tags are read next.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _rows.FindAll(row => row.Ordering >= ordering);

    /// <summary>Adds a row that is not deleted.</summary>
    /// <returns>False when the byte budget is exhausted.</returns>
    internal bool Add(JournalEvent row)
    {
        _rows.Add(row);
        budget.Reserve(row.Bytes);
        IsStopped = budget.IsExhausted;
        return !IsStopped;
    }

    /// <summary>Releases the counted bytes. Code that keeps a row must count it again.</summary>
    internal void Discard()
    {
        foreach (var row in _rows)
            budget.Release(row.Bytes);
    }
}

namespace Throttled.Journal.Rows;

/// <summary>The request of a poll: the keys from a position on, and those that appeared late in the gaps below it.</summary>
/// <param name="From">
/// The position, included: the highest ordering seen so far, 0 at the start. The row that is there shows whether the journal still is the
/// one that was seen.
/// </param>
/// <param name="Gaps">Orderings below the position that were missing and may still commit.</param>
/// <param name="Limit">How many keys from the position on at most, and how many from the gaps.</param>
internal sealed record KeysRequest(long From, IReadOnlyList<OrderingRange> Gaps, int Limit)
{
    /// <summary>Whether to collect, after the keys were read, the open transactions that may still commit.</summary>
    internal bool WithOpenTransactions { get; init; }

    /// <summary>Whether to read the tags of all keys that are found above the position or in the gaps.</summary>
    internal bool WithTags { get; init; }

    /// <summary>Takes the rows above the position that are not deleted, each with its key; null where the keys are enough.</summary>
    internal TailRows? Rows { get; init; }
}

/// <summary>What a poll found.</summary>
/// <param name="Above">Keys at or above the position, ascending by ordering, without a hole up to the last.</param>
/// <param name="Late">Keys found in the gaps, ascending by ordering.</param>
/// <param name="OpenTransactions">As in <see cref="TailStart"/>; null also where it was not requested.</param>
internal sealed record KeysResult(
    IReadOnlyList<JournalKey> Above, IReadOnlyList<JournalKey> Late, IReadOnlySet<string>? OpenTransactions)
{
    /// <summary>Whether there may be more keys than were read, because the limit was reached or the rows had no room.</summary>
    internal bool IsTruncated { get; init; }

    /// <summary>
    /// The highest ordering that the database says it ever issued, read after the keys and only where no row is at the position: below the
    /// position, the journal was rewound. Null where it was not read, or the database cannot say.
    /// </summary>
    internal long? LastIssued { get; init; }

    /// <summary>
    /// The run of the server that answered, as <c>server/start</c>: another where the server was started anew, or another took its place. One that runs
    /// on may answer with two starts. Null where the database cannot tell.
    /// </summary>
    internal string? Server { get; init; }

    /// <summary>As of a probe; null also where the open transactions were not requested.</summary>
    internal string? OrderRefusal { get; init; }

    /// <summary>The tags of the keys that have any, by ordering, where they were requested and do not come with the rows.</summary>
    internal IReadOnlyDictionary<long, IReadOnlyList<string>> Tags { get; init; } = NoTags;

    private static readonly Dictionary<long, IReadOnlyList<string>> NoTags = [];
}

/// <summary>Where the tail starts.</summary>
/// <param name="Last">The key of the row with the highest ordering; null in an empty journal.</param>
/// <param name="OpenTransactions">
/// The open transactions that may still commit an ordering at or below it, collected after it was read; null where
/// the database cannot say; empty where there are none.
/// </param>
internal sealed record TailStart(JournalKey? Last, IReadOnlySet<string>? OpenTransactions)
{
    /// <summary>Why events cannot be read in the order of the journal without missing some, as a sentence; null where they can.</summary>
    internal string? OrderRefusal { get; init; }
}

/// <summary>What the tail reads of each new row.</summary>
internal readonly record struct JournalKey(long Ordering, string PersistenceId, long SequenceNumber);

/// <summary>Orderings of the journal, both ends included.</summary>
internal readonly record struct OrderingRange(long First, long Last);

/// <summary>
/// Whole rows that a statement reads for the tail. The database adds them in any order as they arrive, until it has none left or
/// <see cref="Add"/> says stop. Used by one thread at a time.
/// </summary>
internal sealed class TailRows(IReadOnlyList<long> orderings, ByteBudget budget)
{
    private readonly List<JournalEvent> _rows = [];

    /// <summary>The rows wanted, where they are requested by name.</summary>
    internal IReadOnlyList<long> Orderings => orderings;

    /// <summary>What was added.</summary>
    internal IReadOnlyList<JournalEvent> Events => _rows;

    /// <summary>Whether <see cref="Add"/> said stop.</summary>
    internal bool IsStopped { get; private set; }

    /// <summary>What was added from an ordering on, for the read of their tags.</summary>
    internal List<JournalEvent> EventsFrom(long ordering) => _rows.FindAll(row => row.Ordering >= ordering);

    /// <summary>Adds a row that is not deleted.</summary>
    /// <returns>Whether to go on; false once the journal's bytes are at their bound.</returns>
    internal bool Add(JournalEvent row)
    {
        _rows.Add(row);
        budget.Reserve(row.Bytes);
        IsStopped = budget.IsExhausted;
        return !IsStopped;
    }

    /// <summary>Gives back the bytes counted so far; who keeps a row counts it anew.</summary>
    internal void Discard()
    {
        foreach (var row in _rows)
            budget.Release(row.Bytes);
    }
}

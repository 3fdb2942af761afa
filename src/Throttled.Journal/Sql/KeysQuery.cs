namespace Throttled.Journal.Sql;

/// <summary>The request of a poll: the keys from a position on, and those that appeared late in the gaps below it.</summary>
/// <param name="From">
/// The position, included: the highest ordering seen so far, 0 at the start. The row that is there shows whether the journal still is the
/// one that was seen.
/// </param>
/// <param name="Gaps">Orderings below the position that were missing and may still commit.</param>
/// <param name="Limit">How many keys from the position on at most, and how many from the gaps.</param>
internal sealed record KeysQuery(long From, IReadOnlyList<OrderingRange> Gaps, int Limit)
{
    /// <summary>Whether to collect, after the keys were read, the open transactions that may still commit.</summary>
    internal bool WithHolders { get; init; }

    /// <summary>Whether to read the tags of all keys that are found above the position or in the gaps.</summary>
    internal bool WithTags { get; init; }

    /// <summary>Takes the rows above the position that are not deleted, each with its key; null where the keys are enough.</summary>
    internal RowsStatement? Rows { get; init; }
}

/// <summary>What a poll found.</summary>
/// <param name="Above">Keys at or above the position, ascending by ordering, without a hole up to the last.</param>
/// <param name="Late">Keys found in the gaps, ascending by ordering.</param>
/// <param name="Holders">As in <see cref="TailAnchor"/>; null also where it was not requested.</param>
internal sealed record KeysFound(
    IReadOnlyList<JournalKey> Above, IReadOnlyList<JournalKey> Late, IReadOnlySet<string>? Holders)
{
    /// <summary>Whether there may be more keys than were read, because the limit was reached or the rows had no room.</summary>
    internal bool IsCut { get; init; }

    /// <summary>
    /// The highest ordering that the database says it ever issued, read after the keys and only where no row is at the position: below the
    /// position, the journal was rewound. Null where it was not read, or the database cannot say.
    /// </summary>
    internal long? LastGivenOut { get; init; }

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

namespace Throttled.Journal.Sql;

/// <summary>The tail's poll: the keys above a position, and those that appeared late in the gaps below it.</summary>
/// <param name="After">The position: the highest ordering seen so far; 0 at the start.</param>
/// <param name="Inclusive">Whether the row at the position is read again, because its number may have been given out anew.</param>
/// <param name="Gaps">Orderings below the position that were missing and may still commit.</param>
/// <param name="Limit">How many keys above the position at most, and how many from the gaps.</param>
/// <param name="WithHolders">Whether to collect, after the keys were read, who may still commit.</param>
internal sealed record KeysQuery(
    long After, bool Inclusive, IReadOnlyList<OrderingRange> Gaps, int Limit, bool WithHolders);

/// <summary>What the poll found.</summary>
/// <param name="Above">Keys above the position (or at it, where inclusive), ascending by ordering.</param>
/// <param name="Late">Keys found in the gaps, ascending by ordering.</param>
/// <param name="Holders">As in <see cref="TailAnchor"/>; null also where it was not asked for.</param>
internal sealed record KeysFound(
    IReadOnlyList<JournalKey> Above, IReadOnlyList<JournalKey> Late, IReadOnlySet<string>? Holders);

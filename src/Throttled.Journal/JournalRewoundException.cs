using Throttled.Journal.Sharding;

namespace Throttled.Journal;

/// <summary>
/// The orderings went back: the journal was restored from a backup, truncated with its numbers, or a failover lost its newest events. Positions
/// that were stored before are positions in another journal; what reads on from them would skip events. Decide from where to read,
/// then open the queries anew.
/// </summary>
public sealed class JournalRewoundException : JournalException
{
    private JournalRewoundException(string message, long ordering)
        : base(message) => Ordering = ordering;

    /// <summary>The highest ordering that had been read of the journal as it was.</summary>
    public long Ordering { get; }

    internal static JournalRewoundException At(long ordering, string table, ShardPlace? shard) => new(
        ShardPlace.PrefixOf(shard) + FormattableString.Invariant(
            $"The journal table \"{table}\" went back: ordering {ordering} had been read, and the database says that it was not issued yet, or to another event. ")
            + "It was restored, truncated, or lost its newest events in a failover. Decide from where to read, and open the query anew. The reader can stay open.",
        ordering);

    /// <summary>For a query that had begun when others found out.</summary>
    internal static JournalRewoundException Before(long ordering, ShardPlace? shard) => new(
        ShardPlace.PrefixOf(shard) + FormattableString.Invariant($"The journal went back behind ordering {ordering} while this query was read. ")
            + "Decide from where to read, and open the query anew. The reader can stay open.",
        ordering);
}

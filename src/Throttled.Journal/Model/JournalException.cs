namespace Throttled.Journal;

/// <summary>A query cannot go on: the database refused it for a reason that waiting and repeating do not cure.</summary>
public class JournalException : Exception
{
    internal JournalException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}

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

    internal static JournalRewoundException At(long ordering, string table, ShardIdentity? shard) => new(
        ShardIdentity.PrefixOf(shard) + FormattableString.Invariant(
            $"The journal table \"{table}\" went back: ordering {ordering} had been read, and the database says that it was not issued yet, or to another event. ")
            + "It was restored, truncated, or lost its newest events in a failover. Decide from where to read, and open the query anew. The reader can stay open.",
        ordering);

    /// <summary>For a query that had begun when others found out.</summary>
    internal static JournalRewoundException Before(long ordering, ShardIdentity? shard) => new(
        ShardIdentity.PrefixOf(shard) + FormattableString.Invariant($"The journal went back behind ordering {ordering} while this query was read. ")
            + "Decide from where to read, and open the query anew. The reader can stay open.",
        ordering);
}

/// <summary>Some shards did not take their events, though others did.</summary>
public sealed class ShardedAppendException : Exception
{
    internal ShardedAppendException(string message, IReadOnlyList<JournalEvent> notAppended, Exception inner)
        : base(message, inner) => NotAppended = notAppended;

    /// <summary>
    /// The events of the shards that failed, in the order given; the others are appended. A failure that came with the commit may have appended them all the
    /// same: such an event is refused when it is appended again, because its persistence id and sequence number are there.
    /// </summary>
    public IReadOnlyList<JournalEvent> NotAppended { get; }
}

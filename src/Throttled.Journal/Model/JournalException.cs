namespace Throttled.Journal;

/// <summary>A query cannot continue: the database refused it for a reason that waiting and retrying do not fix.</summary>
public class JournalException : Exception
{
    internal JournalException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}

/// <summary>
/// The orderings went back: the journal was restored from a backup, truncated with its sequence reset, or lost its newest events in a failover.
/// Positions that you stored before belong to another journal; a query that continues from them would skip events. Decide from which position to
/// read, then open the queries again.
/// </summary>
public sealed class JournalRewoundException : JournalException
{
    private JournalRewoundException(string message, long ordering)
        : base(message) => Ordering = ordering;

    /// <summary>The highest ordering that was read before the journal went back.</summary>
    public long Ordering { get; }

    internal static JournalRewoundException At(long ordering, string table, ShardIdentity? shard) => new(
        ShardIdentity.PrefixOf(shard) + FormattableString.Invariant(
            $"The journal table \"{table}\" went back: ordering {ordering} was read before, but now it is not issued yet or belongs to another event. ")
            + "It was restored, truncated, or lost its newest events in a failover. Decide where to read from and open the query again. The reader can stay open.",
        ordering);

    /// <summary>For a query that was open when the engine detected this.</summary>
    internal static JournalRewoundException Before(long ordering, ShardIdentity? shard) => new(
        ShardIdentity.PrefixOf(shard) + FormattableString.Invariant($"The journal went back below ordering {ordering} while this query was open. ")
            + "Decide where to read from and open the query again. The reader can stay open.",
        ordering);
}

/// <summary>Some shards did not append their events, but others did.</summary>
public sealed class ShardedAppendException : Exception
{
    internal ShardedAppendException(string message, IReadOnlyList<JournalEvent> notAppended, Exception inner)
        : base(message, inner) => NotAppended = notAppended;

    /// <summary>
    /// The events of the shards that failed, in the given order. All other events are appended. If a commit failed, the events of its shard may be
    /// appended nevertheless. The database then refuses to append them again, because their persistence id and sequence number exist.
    /// </summary>
    public IReadOnlyList<JournalEvent> NotAppended { get; }
}

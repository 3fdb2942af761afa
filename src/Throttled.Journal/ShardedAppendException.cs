namespace Throttled.Journal;

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

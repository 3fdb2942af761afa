namespace Throttled.Journal;

/// <summary>
/// The orderings went back: the journal was restored from a backup, truncated with its numbers, or a failover lost its newest events. Positions
/// that were stored before are positions in another journal; what reads on from them would skip events. Decide from where to read,
/// then open the queries anew.
/// </summary>
public sealed class JournalRewoundException : JournalException
{
    internal JournalRewoundException(string message)
        : base(message)
    {
    }

    /// <summary>For a query that had begun when others found out.</summary>
    internal static JournalRewoundException Before() =>
        new("The journal went back while this query was read. Decide from where to read, and open the query anew.");
}

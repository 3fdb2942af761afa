using Microsoft.Extensions.Logging;

namespace Throttled.Journal.Diagnostics;

/// <summary>All that the engine says in the log.</summary>
internal static partial class JournalLog
{
    [LoggerMessage(1, LogLevel.Warning,
        "The journal cannot be read ({Reason}). The database is tried again until it answers; queries wait, unless the error lasts "
        + "that no waiting cures.")]
    internal static partial void Away(this ILogger log, string reason, Exception error);

    [LoggerMessage(2, LogLevel.Information, "The journal can be read again after {Seconds:0.0} s.")]
    internal static partial void Back(this ILogger log, double seconds);

    [LoggerMessage(3, LogLevel.Warning,
        "The journal table {Table} is not there ({Reason}). Its queries wait until it is; RequireTable makes them fail instead.")]
    internal static partial void NoTable(this ILogger log, string table, string reason, Exception error);

    [LoggerMessage(4, LogLevel.Information,
        "At most {Permits} statements run at once instead of the configured {Configured}, because {Reason}.")]
    internal static partial void Clamped(this ILogger log, int permits, int configured, string reason);

    [LoggerMessage(5, LogLevel.Warning, "The server has no connection left; at most {Permits} statements run at once for now.")]
    internal static partial void Narrowed(this ILogger log, int permits);

    [LoggerMessage(6, LogLevel.Warning, "{Warning}")]
    internal static partial void ServerWarning(this ILogger log, string warning);

    [LoggerMessage(7, LogLevel.Warning,
        "A query has waited {Seconds:0} s for its turn; {Waiting} queries wait and {Running} statements run. "
        + "They go on waiting. The database is slower than its readers, or MaxConcurrentQueries is low.")]
    internal static partial void LongWait(this ILogger log, double seconds, int waiting, int running);

    [LoggerMessage(8, LogLevel.Debug, "A statement for {Members} queries failed and is tried again in {Milliseconds:0} ms.")]
    internal static partial void Retried(this ILogger log, int members, double milliseconds, Exception error);

    [LoggerMessage(16, LogLevel.Warning,
        "A statement for {Members} queries has failed {Failures} times in a row ({Reason}). It is tried again until it works.")]
    internal static partial void StillFailing(this ILogger log, int members, int failures, string reason, Exception error);

    [LoggerMessage(9, LogLevel.Warning,
        "A statement for {Members} queries failed in a way that repeating does not cure; each of them now has its own.")]
    internal static partial void Isolated(this ILogger log, int members, Exception error);

    [LoggerMessage(10, LogLevel.Warning, "A statement for {Members} queries ran into the time-out; it is tried again in halves.")]
    internal static partial void Halved(this ILogger log, int members, Exception error);

    [LoggerMessage(11, LogLevel.Information,
        "The tail is {Lag} events behind with {Gaps} orderings missing, and jumps to the end; its queries catch up by pages.")]
    internal static partial void Jumped(this ILogger log, int lag, int gaps);

    [LoggerMessage(12, LogLevel.Warning, "The journal's notifications ended; it is looked at every refresh interval until they work again.")]
    internal static partial void NotificationsLost(this ILogger log, Exception error);

    [LoggerMessage(13, LogLevel.Critical, "A defect in the journal reader; please report it.")]
    internal static partial void Defect(this ILogger log, Exception error);

    [LoggerMessage(14, LogLevel.Warning,
        "The journal's newest row is not the one that was seen: it was deleted, or the journal restored, or a failover lost it. "
        + "The queries read again from where they are.")]
    internal static partial void OrderingsReused(this ILogger log);

    [LoggerMessage(15, LogLevel.Warning,
        "Ordering {Ordering} has been missing for {Seconds:0} s ({Gaps} gaps in all): a transaction that may own it is still open.")]
    internal static partial void OldGap(this ILogger log, long ordering, double seconds, int gaps);
}

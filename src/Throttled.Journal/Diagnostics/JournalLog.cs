using Microsoft.Extensions.Logging;

namespace Throttled.Journal.Diagnostics;

/// <summary>All log messages of the engine.</summary>
internal static partial class JournalLog
{
    [LoggerMessage(1, LogLevel.Warning, "The journal cannot be read{From} ({Reason}). Queries wait and try again{Limit}.")]
    internal static partial void Unavailable(this ILogger log, string from, string reason, string limit, Exception error);

    [LoggerMessage(23, LogLevel.Error,
        "The journal cannot be read{From} ({Reason}). Waiting does not help, so all waiting queries fail. Each later query tries again.")]
    internal static partial void Unrecoverable(this ILogger log, string from, string reason, Exception error);

    [LoggerMessage(2, LogLevel.Information, "The journal can be read again after {Seconds:0.0} s.")]
    internal static partial void Available(this ILogger log, double seconds);

    [LoggerMessage(EventId = 3, Message = "{What}. Queries wait until this is fixed; 'RequireTable' makes them fail instead. {Remedy}.")]
    internal static partial void JournalMissing(this ILogger log, LogLevel level, string what, string remedy, Exception error);

    [LoggerMessage(EventId = 4, Message =
        "'MaxConcurrentQueries' is {Configured}, but at most {Permits} statements run at once, because {Reason}.")]
    internal static partial void CeilingApplied(this ILogger log, LogLevel level, int permits, int configured, string reason);

    [LoggerMessage(25, LogLevel.Information,
        "The journal opens at most {Taken} of the {Usable} connections that the server gives to ordinary users: {Permits} for statements, and {Others} more. "
        + "{Left} are left for writers, other processes and operators. Change it with 'MaxConcurrentQueries', which is {Configured}.")]
    internal static partial void Budget(this ILogger log, int taken, int usable, int permits, int others, int left, int configured);

    [LoggerMessage(5, LogLevel.Warning,
        "The server has no connection left; at most {Permits} statements run at once for now. "
        + "If this recurs, lower 'MaxConcurrentQueries', or raise the server's limit.")]
    internal static partial void LimitReduced(this ILogger log, int permits);

    [LoggerMessage(6, LogLevel.Warning, "{Warning}")]
    internal static partial void ServerWarning(this ILogger log, string warning);

    [LoggerMessage(7, LogLevel.Warning,
        "A query has waited {Seconds:0} s for a permit; {Waiting} queries wait and {Running} statements run, of at most {Permits}. Waiting queries do not fail. "
        + "Find out what keeps the database busy. To raise 'MaxConcurrentQueries' helps only if it is {Permits} and the database has capacity.")]
    internal static partial void LongWait(this ILogger log, double seconds, int waiting, int running, int permits);

    [LoggerMessage(8, LogLevel.Debug, "A statement for {Members} queries failed and is tried again in {Milliseconds:0} ms.")]
    internal static partial void Retried(this ILogger log, int members, double milliseconds, Exception error);

    [LoggerMessage(16, LogLevel.Warning,
        "A statement for {Members} queries has failed {Failures} times in a row ({Reason}). It is tried again until it works.")]
    internal static partial void StillFailing(this ILogger log, int members, int failures, string reason, Exception error);

    [LoggerMessage(9, LogLevel.Warning,
        "A statement for {Members} queries failed with an error that a retry does not fix; each query now gets its own statement.")]
    internal static partial void Isolated(this ILogger log, int members, Exception error);

    [LoggerMessage(10, LogLevel.Warning, "A statement for {Members} queries timed out ('StatementTimeout'); it is repeated in two halves.")]
    internal static partial void Halved(this ILogger log, int members, Exception error);

    [LoggerMessage(11, LogLevel.Information,
        "The tail is {Lag} events behind with {Gaps} orderings missing, and jumps to the end; its queries catch up by pages.")]
    internal static partial void TailJumped(this ILogger log, int lag, int gaps);

    [LoggerMessage(12, LogLevel.Warning, "The journal's notifications ended; the journal is polled every 'RefreshInterval' until they work again.")]
    internal static partial void NotificationsLost(this ILogger log, Exception error);

    [LoggerMessage(13, LogLevel.Critical, "The journal reader has a defect and ended all its queries; please report it.")]
    internal static partial void Defect(this ILogger log, Exception error);

    [LoggerMessage(14, LogLevel.Information,
        "The journal's newest rows were deleted, and their numbers are issued again. The tail goes back from ordering {Read} to {Ordering}. "
        + "Offsets that were stored meanwhile may skip events, and some events may come again.")]
    internal static partial void OrderingsReused(this ILogger log, long read, long ordering);

    [LoggerMessage(15, LogLevel.Warning,
        "{Missing} missing for {Seconds:0} s (gaps: {Gaps}). Queries in journal order wait, because a transaction that may own the missing events "
        + "is still open: {Transaction}. See docs/operating/runbook.md, 'When the high-water mark is stalled'.")]
    internal static partial void Stalled(this ILogger log, string missing, double seconds, int gaps, string transaction);

    [LoggerMessage(17, LogLevel.Warning,
        "The orderings {First} to {Last} were skipped after {Seconds:0} s, because 'OnGapTimeout' is Skip. "
        + "If their transaction still commits, queries in journal order do not deliver its events.")]
    internal static partial void GapSkipped(this ILogger log, long first, long last, double seconds);

    [LoggerMessage(18, LogLevel.Error,
        "The journal went back: ordering {Read} was read before, but now it is not issued yet or belongs to another event. All queries end. "
        + "See docs/operating/runbook.md, 'When the journal goes back'.")]
    internal static partial void Rewound(this ILogger log, long read);

    [LoggerMessage(19, LogLevel.Warning,
        "A query begins after ordering {Position}, but the journal ends at {End}. The query returns nothing until the journal passes that ordering. "
        + "Check whether the stored offset is from this journal.")]
    internal static partial void BeyondTheEnd(this ILogger log, long position, long end);

    [LoggerMessage(20, LogLevel.Warning, "{Warning}")]
    internal static partial void TagWarning(this ILogger log, string warning);

    [LoggerMessage(21, LogLevel.Warning,
        "Queries in journal order have waited {Seconds:0} s for transactions that were open when the journal was first polled, at ordering "
        + "{Ordering}: {Transaction}. See docs/operating/runbook.md, 'When the high-water mark is stalled'.")]
    internal static partial void StartStalled(this ILogger log, double seconds, long ordering, string transaction);

    [LoggerMessage(22, LogLevel.Information, "The high-water mark moves again after {Seconds:0} s.")]
    internal static partial void HighWaterMarkMoves(this ILogger log, double seconds);

    [LoggerMessage(EventId = 24, Message =
        "The payload of {Event} has {Bytes} bytes and 'MaxPayloadBytes' is {Most}, so the event was skipped. Later ones are logged at Debug.")]
    internal static partial void PayloadSkipped(this ILogger log, LogLevel level, string @event, long bytes, int most);
}

using Throttled.Journal.Database;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// Classifies SQL Server's errors by number and severity.
/// The numbers: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
/// The severities: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
/// Which errors are transient: https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues,
/// https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqlconfigurableretryfactory.baselinetransienterrors,
/// https://github.com/dotnet/efcore/blob/main/src/EFCore.SqlServer/Storage/Internal/SqlServerTransientExceptionDetector.cs
/// </summary>
internal static class SqlServerErrors
{
    /// <summary>From this severity on, the server ends the session. The driver uses it for all network errors.</summary>
    internal const byte EndsTheSession = 20;

    /// <returns>The fault of an error with a known number; null for other numbers.</returns>
    internal static FaultKind? Known(int number, byte severity) =>
        // Damage comes first: a damaged page ends the session, but the server is available.
        IsDamage(number) ? FaultKind.Unreadable
        : IsDistrust(number) ? FaultKind.Fatal
        : number == TooManyUsers || IsLimit(number) ? FaultKind.TooManyConnections
        // An operating system's number can equal that of a statement's error: 121 and 233 are both.
        : severity >= EndsTheSession ? OfSession(number)
        : OfService(number) ?? OfStatement(number);

    /// <summary>The fault of an error with an unknown number.</summary>
    internal static FaultKind OfSeverity(int number, byte severity) => severity switch
    {
        // A table, the database or the disk is damaged.
        22 or 23 or 24 => FaultKind.Unreadable,
        >= EndsTheSession => FaultKind.ConnectionLost,
        // Out of some resource, or rolled back in favour of another transaction.
        13 or 17 or 19 => FaultKind.Transient,
        // A defect of the server in this statement.
        18 => FaultKind.Unreadable,
        // The server reported that the statement failed, without a reason.
        _ when number == 0 => FaultKind.Transient,
        // Syntax, permission, password.
        _ => FaultKind.Fatal,
    };

    /// <summary>What to do about a missing database or right, as a further sentence; empty for other errors.</summary>
    internal static string RemedyOf(int number) => number switch
    {
        4060 or 4064 or 916 => " Check that the database's name is correct, and that the database is online. If so, create a user for the login in it, and grant "
            + "the user CONNECT on the database and SELECT on the tables (reader-sqlserver.sql of the documentation).",
        18456 => " Correct 'User ID' or 'Password' in the connection string.",
        229 or 230 => " Grant the reader's user SELECT on the journal and on the tag table (reader-sqlserver.sql of the documentation).",
        _ => "",
    };

    private const int TooManyUsers = 17809;

    // The limits of sessions and workers of the database, the pool or the instance.
    private static bool IsLimit(int number) => number is 10928 or 10929 or 10936 or 17189 or 17300;

    private static bool IsDamage(int number) => number is
        // Pages and rows:
        // https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-824-database-engine-error and similar.
        211 or 605 or 823 or 824 or 5242 or 5243 or 7105 or 8646
        // An assertion of the server, mostly about damage.
        or 3624;

    // On Windows, the driver gives only the number of Schannel's error, no exception type of .NET. The cause is the
    // certificate's name, issuer, kind or date. https://learn.microsoft.com/windows/win32/com/com-error-codes-4
    private static bool IsDistrust(int number) => unchecked((uint)number) is
        0x80090322 or 0x80090325 or 0x80090327 or 0x80090328 or 0x800B0101 or 0x800B0109 or 0x800B010F;

    private static FaultKind? OfSession(int number) => number switch
    {
        // The session was killed; the server shuts down; the database is not activated yet.
        596 or 6005 or 6006 or 913 => FaultKind.ConnectionLost,
        _ => null,
    };

    // These errors affect all statements. The service asks for few retries, and one probe at a time is slow enough.
    private static FaultKind? OfService(int number) => number switch
    {
        // The database cannot be opened. It is recovering, offline, failing over or not created yet, or its name is wrong, or the login has no user
        // there. The server does not show a client that is not logged in which of these it is, so the engine waits for the database.
        4060 or 4064 => FaultKind.ConnectionLost,
        // Recovering, in single-user mode, suspect, restoring, offline, files missing, in transition, a mirror, without a quorum.
        615 or 913 or 921 or 922 or 923 or 924 or 926 or 927 or 941 or 942 or 945 or 952 or 954 or 955 or 956 => FaultKind.ConnectionLost,
        // Availability groups: not synchronising, not readable for this client, in a failover, without row versions, without a quorum.
        976 or 978 or 979 or 981 or 982 or 983 or 988 or 4221 => FaultKind.ConnectionLost,
        // Shutting down, paused, not ready yet, for administrators only, in an upgrade, login too slow.
        596 or 6005 or 6006 or 17142 or 17147 or 17148 or 17187 or 17188 or 17197 or 18401 or 18451 or 18461 => FaultKind.ConnectionLost,
        // Azure: failing over, busy, throttled, paused, warming up.
        40143 or 40166 or 40197 or 40501 or 40540 or 40613 or 42108 or 42109 or 49918 or 49919 or 49920 => FaultKind.ConnectionLost,
        _ => null,
    };

    private static FaultKind? OfStatement(int number) => number switch
    {
        // -2: the driver's timeout; the batch has ended. 8649: the governor estimates that the statement would run too long.
        -2 or 8649 => FaultKind.TimedOut,
        208 => FaultKind.MissingTable,
        // The database is read-only, as on a replica that is not the primary any more. A failover ends it.
        3906 => FaultKind.ConnectionLost,
        // Locks: none left, deadlock, timeout. 3980: the session's last batch is still ending.
        1203 or 1204 or 1205 or 1221 or 1222 or 3980 => FaultKind.Transient,
        // Out of memory, disk or log space, or a timeout while compiling or latching a page.
        701 or 802 or 845 or 8628 or 8645 or 8651 or 1101 or 1105 or 9002 => FaultKind.Transient,
        // Row versions are gone, or a secondary has not applied yet, or has already applied, what the statement reads.
        3947 or 3948 or 3950 or 3958 or 3960 or 3961 or 3966 or 3967 => FaultKind.Transient,
        // A table or its pages changed while the statement ran.
        601 or 617 or 669 or 2801 or 2816 => FaultKind.Transient,
        // Snapshots were turned off meanwhile; the transaction has ended; another session creates a database; a job or a resource is busy.
        3952 or 3935 or 997 or 1807 or 10922 or 14355 => FaultKind.Transient,
        // Memory-optimised tables.
        41301 or 41302 or 41305 or 41325 or 41839 or 41840 => FaultKind.Transient,
        // Azure ended the statement because it used too much time, locks, tempdb, log or memory.
        40549 or 40550 or 40551 or 40552 or 40553 => FaultKind.Transient,
        // Conversions, overflows, lengths, JSON.
        220 or 232 or 235 or 236 or 241 or 242 or 244 or 245 or 248 or 295 or 296 or 537 or 2628 or 8114 or 8115 or 8134 or 8152 or 8169
            or (>= 13606 and <= 13614) => FaultKind.Unreadable,
        // Too complex for one plan, or a defect in the server's plan.
        8618 or 8623 or 8624 or 8630 or 8632 or 8680 => FaultKind.Unreadable,
        // Passwords, rights, columns, the firewall. They are listed so that they take precedence over the errors that follow them.
        102 or 207 or 229 or 230 or 297 or 300 or 916 or 18452 or 18456 or 18470 or 18486 or 18487 or 18488 or 40532 or 40615 or 40914 => FaultKind.Fatal,
        _ => null,
    };
}

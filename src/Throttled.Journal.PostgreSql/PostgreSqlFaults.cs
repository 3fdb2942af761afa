using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Maps PostgreSQL's errors to faults. The codes: https://www.postgresql.org/docs/current/errcodes-appendix.html</summary>
internal static class PostgreSqlFaults
{
    // Npgsql has no name for this code. PostgreSQL 17 and later end the session with it.
    private const string TransactionTimeout = "25P04";

    internal static FaultKind Classify(Exception error) => error switch
    {
        PostgresException { InvariantSeverity: "FATAL" or "PANIC" } ending => ClassifyEnd(ending.SqlState),
        PostgresException postgres => Classify(postgres.SqlState),
        SessionBrokenException or ObjectDisposedException or OtherServerException or OpeningException => FaultKind.ConnectionLost,
        SeveralServersException or MissingTagTableException or MissingColumnException or ShardMarkException => FaultKind.Fatal,
        TagTablePendingException or ShardMarkPendingException => FaultKind.MissingTable,
        TimeoutException => FaultKind.TimedOut,
        NpgsqlException npgsql => Classify(npgsql),
        IOException or SocketException => FaultKind.ConnectionLost,
        // A value that has not its column's type, or a row that the engine refused.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException => FaultKind.Unreadable,
        // A value of one member that the driver cannot write, such as an id with half a surrogate pair.
        ArgumentException => FaultKind.Unreadable,
        _ => FaultKind.Fatal,
    };

    /// <summary>
    /// The text of an error for the user: its code and message, without the position in a statement that the user cannot see.
    /// For a missing right, the text also names the right to grant. The server names the missing right in its own language.
    /// </summary>
    internal static string ReasonOf(Exception error) => error switch
    {
        PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege } refused =>
            $"{refused.SqlState}: {refused.MessageText}. Grant the reader's user CONNECT on the database, USAGE on the schema and SELECT on the tables (reader-postgresql.sql of the documentation).",
        PostgresException postgres when RemedyOf(postgres.SqlState) is { } remedy => $"{postgres.SqlState}: {DriverMessages.SentenceOf(postgres.MessageText)} {remedy}",
        PostgresException postgres => $"{postgres.SqlState}: {postgres.MessageText}",
        SessionBrokenException { InnerException: PostgresException inner } => ReasonOf(inner),
        // The driver's own message says only that the handshake, the connection or a read failed.
        NpgsqlException { InnerException: (AuthenticationException or SocketException or IOException or TimeoutException) and var inner } =>
            $"{error.Message}: {DriverMessages.SentenceOf(inner.Message)}",
        _ => error.Message,
    };

    /// <summary>
    /// Whether an error of opening a connection would otherwise look like the fault of a statement, or like a permanent one. A
    /// password provider may throw any exception.
    /// </summary>
    internal static bool IsOfOpeningOnly(Exception error) => error switch
    {
        OperationCanceledException or OtherServerException or SeveralServersException or UnsupportedServerException => false,
        NpgsqlException => Classify(error) is FaultKind.Unreadable or FaultKind.TimedOut,
        // The certificate is wrong, or this machine does not support the login method.
        CryptographicException or NotSupportedException => false,
        _ => true,
    };

    /// <summary>
    /// Whether a statement must be prepared again, because a column that it reads has changed.
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/cache/plancache.c (RevalidateCachedQuery)
    /// </summary>
    internal static bool IsStalePlan(Exception error) => error is PostgresException
    {
        // 26000 comes from a pooler that moved the client to a connection on which nothing was prepared.
        SqlState: PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InvalidSqlStatementName
    };

    /// <summary>
    /// Whether the answer's bytes are no valid row, for example because a pooler ended the session in the middle of one. Npgsql has no exception type
    /// for it: https://github.com/npgsql/npgsql/blob/v10.0.0/src/Npgsql/NpgsqlDataReader.cs (ProcessDataRowMessage)
    /// </summary>
    internal static bool IsGarbledAnswer(ArgumentException error) => error.Message.StartsWith("Row's number of columns", StringComparison.Ordinal);

    private static FaultKind Classify(string state) => state switch
    {
        PostgresErrorCodes.TooManyConnections => FaultKind.TooManyConnections,
        PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.InvalidSchemaName => FaultKind.MissingTable,
        PostgresErrorCodes.QueryCanceled or TransactionTimeout => FaultKind.TimedOut,
        PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InvalidSqlStatementName => FaultKind.Transient,
        PostgresErrorCodes.LockNotAvailable => FaultKind.Transient,
        // Too large, too deep, or too many of something: the statement is the cause.
        PostgresErrorCodes.ProgramLimitExceeded or PostgresErrorCodes.IndexCorrupted or PostgresErrorCodes.DataCorrupted => FaultKind.Unreadable,
        // "missing chunk number 0 for toast value": a damaged row gives only this code.
        PostgresErrorCodes.InternalError => FaultKind.Unreadable,
        _ => ClassOf(state) switch
        {
            // Connection exceptions, and "operator intervention": shutdown, crash, startup, session timeouts.
            "08" or "57" => FaultKind.ConnectionLost,
            // Rolled back in favour of another transaction; out of memory, disk or similar; an error of the operating system.
            "40" or "53" or "58" => FaultKind.Transient,
            "22" => FaultKind.Unreadable,
            // Syntax, permission, password, no such database, and all unknown codes.
            _ => FaultKind.Fatal,
        },
    };

    // The session ended with this error, at its start or later, so no row is the cause. Poolers and proxies refuse connections with codes of all
    // kinds. Only the password, the database, a right or a parameter of the connection string can be permanent errors.
    private static FaultKind ClassifyEnd(string state) => (ClassOf(state), Classify(state)) switch
    {
        ("28" or "3D" or "42" or "22", _) => FaultKind.Fatal,
        // "canceling authentication due to timeout"
        _ when state == PostgresErrorCodes.QueryCanceled => FaultKind.ConnectionLost,
        (_, FaultKind.Fatal or FaultKind.Unreadable) => FaultKind.ConnectionLost,
        (_, var kind) => kind,
    };

    // The pool of the user's data source may be smaller than the number of connections that all its users need.
    private static FaultKind Classify(NpgsqlException error) =>
        error.Message.StartsWith("The connection pool has been exhausted", StringComparison.Ordinal)
            ? FaultKind.TooManyConnections
            : error.InnerException switch
            {
                IOException or SocketException or TimeoutException or AggregateException => FaultKind.ConnectionLost,
                // The server wants a password and none is set, or TLS was refused. A new connection does not help.
                AuthenticationException => FaultKind.Fatal,
                _ when error.Message.StartsWith("No password", StringComparison.Ordinal) => FaultKind.Fatal,
                // The connection string requires TLS, and the server has none.
                _ when error.Message.StartsWith("SSL connection requested", StringComparison.Ordinal) => FaultKind.Fatal,
                _ => FaultKind.ConnectionLost,
            };

    private static string? RemedyOf(string state) => state switch
    {
        PostgresErrorCodes.InvalidPassword => "Correct 'Username' or 'Password' in the connection string.",
        PostgresErrorCodes.InvalidAuthorizationSpecification => "Correct 'Username' in the connection string, or allow the user in the server's pg_hba.conf.",
        PostgresErrorCodes.InvalidCatalogName => "Create the database, or correct 'Database' in the connection string.",
        _ => null,
    };

    private static string ClassOf(string state) => state.Length < 2 ? "" : state[..2];
}

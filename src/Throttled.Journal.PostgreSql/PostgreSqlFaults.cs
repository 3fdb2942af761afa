using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>What PostgreSQL's errors mean. The codes: https://www.postgresql.org/docs/current/errcodes-appendix.html</summary>
internal static class PostgreSqlFaults
{
    // Npgsql has no name for it yet; a server from 17 on ends the session with it.
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
        // A value that is not of its column's type, or a row that the engine refused.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException => FaultKind.Unreadable,
        // A value of one member that the driver cannot write, such as an id with half a surrogate pair.
        ArgumentException => FaultKind.Unreadable,
        _ => FaultKind.Fatal,
    };

    /// <summary>
    /// What to tell of an error: its code and its text, without the place in a statement that nobody sees; and of a right that is missing, which
    /// the server names in its own language, where it is given.
    /// </summary>
    internal static string ReasonOf(Exception error) => error switch
    {
        PostgresException { SqlState: PostgresErrorCodes.InsufficientPrivilege } refused =>
            $"{refused.SqlState}: {refused.MessageText}. Grant the reader's user CONNECT on the database, USAGE on the schema and SELECT on the tables (reader-postgresql.sql of the documentation).",
        PostgresException postgres when RemedyOf(postgres.SqlState) is { } remedy => $"{postgres.SqlState}: {DriverMessages.SentenceOf(postgres.MessageText)} {remedy}",
        PostgresException postgres => $"{postgres.SqlState}: {postgres.MessageText}",
        SessionBrokenException { InnerException: PostgresException inner } => ReasonOf(inner),
        // What the driver says of it is only that the handshake failed.
        NpgsqlException { InnerException: AuthenticationException inner } => $"{error.Message}: {DriverMessages.SentenceOf(inner.Message)}",
        _ => error.Message,
    };

    /// <summary>
    /// Whether an error that opening a connection met would be taken for the fault of a statement, or for a lasting one that it is not: a password provider
    /// may throw anything.
    /// </summary>
    internal static bool IsOfOpeningOnly(Exception error) => error switch
    {
        OperationCanceledException or OtherServerException or SeveralServersException or UnsupportedServerException => false,
        NpgsqlException => Classify(error) is FaultKind.Unreadable or FaultKind.TimedOut,
        // The certificate, or a way to log in that this machine does not have.
        CryptographicException or NotSupportedException => false,
        _ => true,
    };

    /// <summary>
    /// Whether a prepared statement has to be prepared anew: a column that it reads was changed.
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/cache/plancache.c (RevalidateCachedQuery)
    /// </summary>
    internal static bool IsStalePlan(Exception error) => error is PostgresException
    {
        // 26000 is a pooler's way: it put us on a connection on which nothing was prepared.
        SqlState: PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InvalidSqlStatementName
    };

    /// <summary>
    /// Whether the bytes of an answer make no row, as where a pooler ends a session in the middle of one. Npgsql has no type of its own for it:
    /// https://github.com/npgsql/npgsql/blob/v10.0.0/src/Npgsql/NpgsqlDataReader.cs (ProcessDataRowMessage)
    /// </summary>
    internal static bool IsGarbledAnswer(ArgumentException error) => error.Message.StartsWith("Row's number of columns", StringComparison.Ordinal);

    private static FaultKind Classify(string state) => state switch
    {
        PostgresErrorCodes.TooManyConnections => FaultKind.TooManyConnections,
        PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.InvalidSchemaName => FaultKind.MissingTable,
        PostgresErrorCodes.QueryCanceled or TransactionTimeout => FaultKind.TimedOut,
        PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InvalidSqlStatementName => FaultKind.Transient,
        PostgresErrorCodes.LockNotAvailable => FaultKind.Transient,
        // Too large, too deep, or too many of something: this statement's fault.
        PostgresErrorCodes.ProgramLimitExceeded or PostgresErrorCodes.IndexCorrupted or PostgresErrorCodes.DataCorrupted =>
            FaultKind.Unreadable,
        // "missing chunk number 0 for toast value": one damaged row says no more than that.
        PostgresErrorCodes.InternalError => FaultKind.Unreadable,
        _ => ClassOf(state) switch
        {
            // Connection exceptions; "operator intervention": shutdown, crash, starting up, session time-outs.
            "08" or "57" => FaultKind.ConnectionLost,
            // Rolled back for another's sake; out of memory, disk or such; the operating system failed.
            "40" or "53" or "58" => FaultKind.Transient,
            "22" => FaultKind.Unreadable,
            // Syntax, permission, password, no such database, and what nobody has seen yet.
            _ => FaultKind.Fatal,
        },
    };

    // The session has ended with it, at its start or later, and so it is no row's fault: poolers and proxies refuse connections with codes of all kinds.
    // What a start-up packet may have wrong is the password, the database, a right, or a parameter of the connection string.
    private static FaultKind ClassifyEnd(string state) => (ClassOf(state), Classify(state)) switch
    {
        ("28" or "3D" or "42" or "22", _) => FaultKind.Fatal,
        // "canceling authentication due to timeout"
        _ when state == PostgresErrorCodes.QueryCanceled => FaultKind.ConnectionLost,
        (_, FaultKind.Fatal or FaultKind.Unreadable) => FaultKind.ConnectionLost,
        (_, var kind) => kind,
    };

    // The pool of a data source that was given to us may be smaller than what the others take from it.
    private static FaultKind Classify(NpgsqlException error) =>
        error.Message.StartsWith("The connection pool has been exhausted", StringComparison.Ordinal)
            ? FaultKind.TooManyConnections
            : error.InnerException switch
            {
                IOException or SocketException or TimeoutException or AggregateException => FaultKind.ConnectionLost,
                // A password was asked for and none given, TLS refused: connecting again does not cure it.
                AuthenticationException => FaultKind.Fatal,
                _ when error.Message.StartsWith("No password", StringComparison.Ordinal) => FaultKind.Fatal,
                // TLS was asked for, and the server has none.
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

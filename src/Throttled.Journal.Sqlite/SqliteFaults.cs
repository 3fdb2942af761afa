using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>What SQLite's errors mean. The codes and their causes: https://www.sqlite.org/rescode.html</summary>
internal static class SqliteFaults
{
    /// <summary>SQLITE_READONLY_CANTINIT, for which SQLitePCL has no name.</summary>
    private const int CantInitialize = raw.SQLITE_READONLY | (5 << 8);

    internal static FaultKind Classify(Exception error) => error switch
    {
        SqliteException sqlite => Classify(sqlite),
        MissingTagTableException or MissingColumnException or ShardMarkException => FaultKind.Fatal,
        TimeoutException => FaultKind.TimedOut,
        FileNotFoundException or TagTablePendingException or ShardMarkPendingException => FaultKind.MissingTable,
        // An InvalidOperationException too, but of no row.
        ObjectDisposedException => FaultKind.Fatal,
        // A value that is not of its column's type, a row that the engine refused, an id that has no UTF-8.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException or ArgumentException =>
            FaultKind.Unreadable,
        IOException => FaultKind.ConnectionLost,
        _ => FaultKind.Fatal,
    };

    /// <summary>Whether a connection is better opened anew. Not where the error tells of a lock, a value or our own stop.</summary>
    internal static bool MayHaveBroken(Exception error) => error is SqliteException sqlite
        ? sqlite.SqliteErrorCode is not (raw.SQLITE_BUSY or raw.SQLITE_LOCKED or raw.SQLITE_INTERRUPT)
        : Classify(error) != FaultKind.Unreadable;

    /// <summary>Whether a page of the file is not what it should be.</summary>
    internal static bool IsDamage(Exception error) => error is SqliteException { SqliteErrorCode: raw.SQLITE_CORRUPT };

    /// <summary>Whether a table is not there.</summary>
    // SQLite has no code of its own for it.
    internal static bool IsMissingTable(SqliteException error) =>
        error.Message.Contains("no such table", StringComparison.Ordinal);

    /// <summary>Whether a column is not there.</summary>
    internal static bool IsMissingColumn(SqliteException error) =>
        error.Message.Contains("no such column", StringComparison.Ordinal);

    private static FaultKind Classify(SqliteException error) => error.SqliteErrorCode switch
    {
        raw.SQLITE_ERROR when IsMissingTable(error) => FaultKind.MissingTable,
        // Another connection has the lock, changed the schema, or recovers the WAL.
        raw.SQLITE_BUSY or raw.SQLITE_LOCKED or raw.SQLITE_SCHEMA or raw.SQLITE_PROTOCOL => FaultKind.Transient,
        // Memory, or disk for temporary files and the WAL's index: others give it back.
        raw.SQLITE_NOMEM or raw.SQLITE_FULL or raw.SQLITE_INTERRUPT or raw.SQLITE_ABORT => FaultKind.Transient,
        raw.SQLITE_IOERR => FaultKind.ConnectionLost,
        raw.SQLITE_READONLY => ReadOnly(error),
        // Damage is found page by page of the file; ids on whole pages can still be read.
        raw.SQLITE_CORRUPT or raw.SQLITE_TOOBIG or raw.SQLITE_MISMATCH => FaultKind.Unreadable,
        // Permission, no database, wrong key, syntax, misuse: CANTOPEN, PERM, AUTH, NOTADB, ERROR and the rest.
        _ => FaultKind.Fatal,
    };

    // A crashed writer left a journal or a WAL that only a writer can recover, or the file was replaced: the next opening
    // that finds the writer back cures these.
    private static FaultKind ReadOnly(SqliteException error) => error.SqliteExtendedErrorCode is
        raw.SQLITE_READONLY_ROLLBACK or raw.SQLITE_READONLY_RECOVERY or raw.SQLITE_READONLY_CANTLOCK
        or CantInitialize or raw.SQLITE_READONLY_DBMOVED
            ? FaultKind.ConnectionLost
            : FaultKind.Fatal;
}

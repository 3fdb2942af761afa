using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>Maps SQLite's errors to faults. The codes and their causes: https://www.sqlite.org/rescode.html</summary>
internal static class SqliteFaults
{
    /// <summary>SQLITE_READONLY_CANTINIT. SQLitePCL has no name for it.</summary>
    private const int CantInitialize = raw.SQLITE_READONLY | (5 << 8);

    internal static FaultKind Classify(Exception error) => error switch
    {
        SqliteException sqlite => Classify(sqlite),
        MissingTagTableException or MissingColumnException or ShardMarkException => FaultKind.Fatal,
        TimeoutException => FaultKind.TimedOut,
        FileNotFoundException or TagTablePendingException or ShardMarkPendingException => FaultKind.MissingTable,
        // It derives from InvalidOperationException, but no row causes it.
        ObjectDisposedException => FaultKind.Fatal,
        // A value that has not its column's type, a row that the engine refused, or an id that cannot be encoded as UTF-8.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException or ArgumentException => FaultKind.Unreadable,
        IOException => FaultKind.ConnectionLost,
        _ => FaultKind.Fatal,
    };

    /// <summary>Whether the connection must be opened again. False for a lock, an invalid value or a stop by the engine.</summary>
    internal static bool MayHaveBroken(Exception error) => error is SqliteException sqlite
        ? sqlite.SqliteErrorCode is not (raw.SQLITE_BUSY or raw.SQLITE_LOCKED or raw.SQLITE_INTERRUPT)
        : Classify(error) != FaultKind.Unreadable;

    /// <summary>Whether a page of the file is damaged.</summary>
    internal static bool IsDamage(Exception error) => error is SqliteException { SqliteErrorCode: raw.SQLITE_CORRUPT };

    // SQLite has no error code for a missing table.
    internal static bool IsMissingTable(SqliteException error) => error.Message.Contains("no such table", StringComparison.Ordinal);

    internal static bool IsMissingColumn(SqliteException error) => error.Message.Contains("no such column", StringComparison.Ordinal);

    private static FaultKind Classify(SqliteException error) => error.SqliteErrorCode switch
    {
        raw.SQLITE_ERROR when IsMissingTable(error) => FaultKind.MissingTable,
        // Another connection has the lock, changes the schema, or recovers the WAL.
        raw.SQLITE_BUSY or raw.SQLITE_LOCKED or raw.SQLITE_SCHEMA or raw.SQLITE_PROTOCOL => FaultKind.Transient,
        // Out of memory, or out of disk for temporary files and the WAL's index. Other users may free some.
        raw.SQLITE_NOMEM or raw.SQLITE_FULL or raw.SQLITE_INTERRUPT or raw.SQLITE_ABORT => FaultKind.Transient,
        raw.SQLITE_IOERR => FaultKind.ConnectionLost,
        raw.SQLITE_READONLY => ReadOnly(error),
        // Damage affects single pages of the file. Ids on undamaged pages can still be read.
        raw.SQLITE_CORRUPT or raw.SQLITE_TOOBIG or raw.SQLITE_MISMATCH => FaultKind.Unreadable,
        // No permission, no database, wrong key, syntax, misuse: CANTOPEN, PERM, AUTH, NOTADB, ERROR and the rest.
        _ => FaultKind.Fatal,
    };

    // A crashed writer left a journal or a WAL that only a writer can recover, or the file was replaced. The next open works,
    // once the writer is back.
    private static FaultKind ReadOnly(SqliteException error) => error.SqliteExtendedErrorCode is
        raw.SQLITE_READONLY_ROLLBACK or raw.SQLITE_READONLY_RECOVERY or raw.SQLITE_READONLY_CANTLOCK
        or CantInitialize or raw.SQLITE_READONLY_DBMOVED ? FaultKind.ConnectionLost : FaultKind.Fatal;
}

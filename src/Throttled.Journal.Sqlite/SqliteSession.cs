using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// One connection that reads, with the statements prepared on it. Used by its thread alone. Between two calls nothing runs
/// and no transaction is open, so that the writer's checkpoints reach the end of the WAL.
/// </summary>
internal sealed class SqliteSession : IDisposable
{
    /// <summary>Refuses to write.</summary>
    internal const string QueryOnly = "PRAGMA query_only = 1";

    /// <summary>The first read finds out what opening does not: no database, no way to the WAL.</summary>
    internal const string FirstRead = "SELECT 1 FROM sqlite_schema LIMIT 1";

    /// <summary>How long a statement waits for a lock. Short: the thread serves others, and the engine tries again.</summary>
    private const int BusyMilliseconds = 1000;

    /// <summary>Steps of SQLite's machine between two checks of the call: some 50 µs, and too few checks to be measured.</summary>
    private const int StepsBetweenChecks = 4000;

    private readonly SqliteConnection _connection;
    private readonly Dictionary<string, PreparedStatement> _statements = [];
    private readonly TextMemo _memo = new();
    private SqliteCall? _call;

    private SqliteSession(SqliteConnection connection) => _connection = connection;

    internal static SqliteSession Open(SqliteSource source)
    {
        Batteries.Load();
        source.RefuseEmptied();
        var session = new SqliteSession(new(source.ForReading));
        try
        {
            session.OpenConnection();
            session.SetUp();
            return session;
        }
        catch (SqliteException error)
        {
            session.Dispose();
            throw Explain(error, source);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>Runs a call and leaves the connection at rest, however the call ends.</summary>
    internal void Run(SqliteCall call)
    {
        _call = call;
        try
        {
            call.Execute(this);
        }
        finally
        {
            _call = null;
            Rest();
        }
    }

    /// <summary>The statement of this text, prepared when it is first asked for.</summary>
    internal PreparedStatement Statement(string sql)
    {
        if (!_statements.TryGetValue(sql, out var statement))
            _statements[sql] = statement = new(_connection.Handle!, sql, _memo);
        return statement;
    }

    /// <summary>Reads the journal as it is at one moment, by one lock for all statements.</summary>
    internal void InTransaction(Action read)
    {
        Statement("BEGIN").Run();
        read();
        Statement("COMMIT").Run();
    }

    public void Dispose()
    {
        foreach (var statement in _statements.Values)
            statement.Dispose();
        _connection.Dispose();
    }

    private void OpenConnection()
    {
        try
        {
            _connection.Open();
        }
        catch (InvalidOperationException error)
        {
            // A password, for which this build of SQLite has no use: no row's fault, and waiting does not cure it.
            throw new NotSupportedException(error.Message, error);
        }
    }

    private void SetUp()
    {
        var handle = _connection.Handle!;
        _ = raw.sqlite3_busy_timeout(handle, BusyMilliseconds);
        // Without this a column that is not there is read as a text with its name: https://www.sqlite.org/quirks.html#dblquote
        _ = raw.sqlite3_db_config(handle, raw.SQLITE_DBCONFIG_DQS_DML, 0, out _);
        // Without this every binding may compile the statement anew, to fit its plan to the value; that takes longer than the
        // page, under a lock that all connections share: https://www.sqlite.org/queryplanner-ng.html#qpstab
        _ = raw.sqlite3_db_config(handle, raw.SQLITE_DBCONFIG_ENABLE_QPSG, 1, out _);
        // The handler sees a cancellation and the end of the call's time wherever the statement is. sqlite3_interrupt would
        // be lost between two statements and could hit the next call's.
        raw.sqlite3_progress_handler(handle, StepsBetweenChecks, _ => _call is { MustStop: true } ? 1 : 0, null);
        Statement(QueryOnly).Run();
        Statement(FirstRead).Run();
    }

    private void Rest()
    {
        foreach (var statement in _statements.Values)
            statement.Reset();
        if (raw.sqlite3_get_autocommit(_connection.Handle!) == 0)
            Statement("ROLLBACK").Run();
    }

    private static Exception Explain(SqliteException error, SqliteSource source)
    {
        // Without the tables' descriptions no row can be read: it is the file that is damaged.
        if (SqliteFaults.IsDamage(error))
            return new SqliteException($"The journal's file '{source.Name}' is damaged: {error.Message}", raw.SQLITE_NOTADB);
        if (error.SqliteErrorCode != raw.SQLITE_CANTOPEN && error.SqliteErrorCode != raw.SQLITE_READONLY)
            return error;
        if (source.File is { } file && !File.Exists(file))
            return new FileNotFoundException($"The journal's file '{source.Name}' is not there.", file, error);
        return new SqliteException(
            $"The journal's file '{source.Name}' is there but cannot be read: {error.Message} In WAL mode the '-shm' and '-wal' "
            + "files beside it must be readable and writable, or the directory writable, so that they can be created.",
            error.SqliteErrorCode, error.SqliteExtendedErrorCode);
    }
}

using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// One connection that reads, with its prepared statements. Only its own thread uses it. Between two calls no statement runs
/// and no transaction is open, so the writer's checkpoints reach the end of the WAL.
/// </summary>
internal sealed class SqliteSession : IDisposable
{
    internal const string QueryOnly = "PRAGMA query_only = 1";

    /// <summary>Opening reports no missing database and no unreadable WAL; the first read does.</summary>
    internal const string FirstRead = "SELECT 1 FROM sqlite_schema LIMIT 1";

    /// <summary>How long a statement waits for a lock. Short, because other calls need the thread and the engine retries.</summary>
    private const int BusyMilliseconds = 1000;

    /// <summary>Virtual machine steps of SQLite between two checks of the call: about 50 µs. The checks cost no measurable time.</summary>
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
        // Asked before the file is opened: a writer may create it right after SQLite has not found it.
        var isThere = source.IsThere;
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
            throw Explain(error, source, isThere);
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

    /// <summary>The statement of an SQL text, which is prepared at its first use.</summary>
    internal PreparedStatement Statement(string sql)
    {
        if (!_statements.TryGetValue(sql, out var statement))
            _statements[sql] = statement = new(_connection.Handle!, sql, _memo);
        return statement;
    }

    /// <summary>Reads the journal at one moment: one lock for all statements.</summary>
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
            // The connection string has a password, which this build of SQLite cannot use. No row causes this, and a retry cannot help.
            throw new NotSupportedException(error.Message, error);
        }
    }

    private void SetUp()
    {
        var handle = _connection.Handle!;
        _ = raw.sqlite3_busy_timeout(handle, BusyMilliseconds);
        // Without this, a missing column is read as a text with its name: https://www.sqlite.org/quirks.html#dblquote
        _ = raw.sqlite3_db_config(handle, raw.SQLITE_DBCONFIG_DQS_DML, 0, out _);
        // Without this, every binding may compile the statement again, to fit its plan to the value. That takes longer than the
        // page, and holds a lock that all connections share: https://www.sqlite.org/queryplanner-ng.html#qpstab
        _ = raw.sqlite3_db_config(handle, raw.SQLITE_DBCONFIG_ENABLE_QPSG, 1, out _);
        // SQLite calls the handler while any statement runs, so it finds every cancellation and timeout. sqlite3_interrupt
        // would have no effect between two statements, and could stop a statement of the next call.
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

    internal static Exception Explain(SqliteException error, SqliteSource source, bool wasThere)
    {
        // Without the tables' descriptions no row can be read, so the file as a whole is damaged.
        if (SqliteFaults.IsDamage(error))
            return new SqliteException($"The journal's file '{source.Name}' is damaged: {error.Message}", raw.SQLITE_NOTADB);
        if (error.SqliteErrorCode != raw.SQLITE_CANTOPEN && error.SqliteErrorCode != raw.SQLITE_READONLY)
            return error;
        if (source.File is { } file && !(wasThere && source.IsThere))
            return new FileNotFoundException($"The journal's file '{source.Name}' is not there.", file, error);
        return new SqliteException(
            $"The journal's file '{source.Name}' is there but cannot be read: {error.Message} In WAL mode the '-shm' and '-wal' "
            + "files beside it must be readable and writable, or the directory writable, so that they can be created.",
            error.SqliteErrorCode, error.SqliteExtendedErrorCode);
    }
}

/// <summary>The native library, loaded once per process.</summary>
internal static class Batteries
{
    static Batteries() => Batteries_V2.Init();

    /// <summary>Runs the static constructor, which loads the library.</summary>
    internal static void Load()
    {
    }
}

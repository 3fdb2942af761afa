using System.Data.Common;
using System.Data;

namespace Throttled.Projections.Databases;

/// <summary>A transaction on a connection of its own. Disposed without <see cref="CommitAsync"/>, it is rolled back.</summary>
internal sealed class DatabaseTransaction : IAsyncDisposable
{
    // https://www.postgresql.org/docs/current/errcodes-appendix.html
    private const string FailedTransaction = "25P02";

    private static readonly TimeSpan TurnTimeout = TimeSpan.FromSeconds(60);

    private readonly DbConnection _connection;
    private readonly DbTransaction _inner;
    private SemaphoreSlim? _turn;
    private string? _tearDown;
    private bool _isWithHandler;

    private DatabaseTransaction(
        DbConnection connection, DbTransaction inner, ReadModelDialect dialect, SemaphoreSlim? turn, CancellationToken cancellation) =>
        (_connection, _inner, Dialect, _turn, Cancellation) = (connection, inner, dialect, turn, cancellation);

    /// <summary>The transaction for the handler's code. From then on <see cref="CheckNotAbortedAsync"/> checks it.</summary>
    internal DbTransaction ForHandler
    {
        get
        {
            _isWithHandler = true;
            return _inner;
        }
    }

    internal ReadModelDialect Dialect { get; }

    /// <summary>Cancels all its statements.</summary>
    internal CancellationToken Cancellation { get; }

    internal static async Task<DatabaseTransaction> BeginAsync(ReadModelDatabase readModel, CancellationToken cancellation)
    {
        var turns = readModel.WriteTurns;
        if (turns is null)
            return await OpenAsync(readModel, isReading: false, null, cancellation).ConfigureAwait(false);
        if (!await turns.WaitAsync(TurnTimeout, cancellation).ConfigureAwait(false))
            throw new TimeoutException($"Another transaction of this process has locked the SQLite file for {TurnTimeout.TotalSeconds:0} s. Check whether a handler hangs.");
        try
        {
            // SQLite's driver has no asynchronous calls: it blocks while another process writes.
            return await Task.Run(() => OpenAsync(readModel, isReading: false, turns, cancellation), cancellation).ConfigureAwait(false);
        }
        catch
        {
            turns.Release();
            throw;
        }
    }

    /// <summary>Begins a transaction that only reads: all its statements see the same moment, if the database can do that.</summary>
    internal static async Task<DatabaseTransaction> SnapshotAsync(ReadModelDatabase readModel, CancellationToken cancellation)
    {
        var transaction = await OpenAsync(readModel, isReading: true, null, cancellation).ConfigureAwait(false);
        transaction._tearDown = readModel.Dialect.SnapshotTearDown;
        if (readModel.Dialect.SnapshotSetUp is not { } setUp)
            return transaction;
        try
        {
            await transaction.ExecuteAsync(setUp).ConfigureAwait(false);
            return transaction;
        }
        catch
        {
            await transaction.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    internal Task<int> ExecuteAsync(string sql, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ExecuteAsync(Command(parameters.Length == 0 ? sql : Dialect.Counted + sql, parameters), isPrepared: false, Cancellation);

    /// <summary>Runs a statement that is run often. The driver keeps its plan on the connection, if it can.</summary>
    internal Task<int> ExecutePreparedAsync(string sql, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ExecuteAsync(Command(Dialect.Counted + sql, parameters), Dialect.Prepares, Cancellation);

    internal Task<List<T>> ReadAsync<T>(string sql, Func<DbDataReader, T> row, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ReadAsync(Command(sql, parameters), row, Cancellation);

    /// <summary>Runs a statement over the table <c>r</c> of <see cref="ReadModelDialect.Rows"/>.</summary>
    internal Task<int> ExecuteForAsync(
        SqlRows rows, string sql, params (string Name, object? Value)[] parameters) => rows.Count == 0
        ? Task.FromResult(0)
        : SqlStatement.ExecuteForAsync(Command(Dialect.Counted + sql, parameters), isPrepared: false, rows, Dialect, Cancellation);

    internal Task<List<T>> ReadForAsync<T>(
        SqlRows rows, string sql, Func<DbDataReader, T> row, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ReadForAsync(Command(sql, parameters), isPrepared: false, rows, Dialect, row, Cancellation);

    /// <summary>True only if the transaction can certainly still write. In SQLite and SQL Server this is unknown after a failed statement, and the result is false.</summary>
    internal async Task<bool> IsUsableAsync()
    {
        if (_connection.State != ConnectionState.Open || !Dialect.CommitHidesAbort)
            return false;
        try
        {
            await ExecuteAsync("SELECT 1").ConfigureAwait(false);
            return true;
        }
        catch (Exception error) when (error is DbException or InvalidOperationException)
        {
            return false;
        }
    }

    /// <exception cref="AbortedTransactionException">The handler used the transaction, and one of its statements failed.</exception>
    internal async Task CheckNotAbortedAsync()
    {
        if (!_isWithHandler || !Dialect.CommitHidesAbort)
            return;
        try
        {
            await ExecuteAsync("SELECT 1").ConfigureAwait(false);
        }
        catch (DbException error) when (error.SqlState == FailedTransaction)
        {
            throw new AbortedTransactionException();
        }
    }

    internal async Task CommitAsync(CancellationToken cancellation)
    {
        await CheckNotAbortedAsync().ConfigureAwait(false);
        await _inner.CommitAsync(cancellation).ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await _inner.DisposeAsync().ConfigureAwait(false);
            await TearDownAsync(_connection, _tearDown).ConfigureAwait(false);
        }
        finally
        {
            await _connection.DisposeAsync().ConfigureAwait(false);
            Interlocked.Exchange(ref _turn, null)?.Release();
        }
    }

    private static async Task TearDownAsync(DbConnection connection, string? tearDown)
    {
        if (tearDown is null || connection.State != ConnectionState.Open)
            return;
        try
        {
            await ExecuteAsync(connection, tearDown, default).ConfigureAwait(false);
        }
        catch (DbException)
        {
            // The connection is lost, and its settings with it.
        }
    }

    private static async Task<DatabaseTransaction> OpenAsync(
        ReadModelDatabase readModel, bool isReading, SemaphoreSlim? turn, CancellationToken cancellation)
    {
        var dialect = readModel.Dialect;
        var connection = await readModel.Source.OpenConnectionAsync(cancellation).ConfigureAwait(false);
        try
        {
            if (dialect.SetUp(isReading) is { } setUp)
                await ExecuteAsync(connection, setUp, cancellation).ConfigureAwait(false);
            var inner = await connection.BeginTransactionAsync(isReading ? dialect.Snapshot : dialect.Writing, cancellation).ConfigureAwait(false);
            return new(connection, inner, dialect, turn, cancellation);
        }
        catch (Exception error)
        {
            await TearDownAsync(connection, isReading ? dialect.SnapshotTearDown : null).ConfigureAwait(false);
            await connection.DisposeAsync().ConfigureAwait(false);
            if (error is DbException && cancellation.IsCancellationRequested)
                throw new OperationCanceledException(error.Message, error, cancellation);
            throw;
        }
    }

    // Outside the transaction.
    private static Task<int> ExecuteAsync(DbConnection connection, string sql, CancellationToken cancellation)
    {
        var command = connection.CreateCommand();
        command.CommandText = sql;
        return SqlStatement.ExecuteAsync(command, isPrepared: false, cancellation);
    }

    private DbCommand Command(string sql, (string Name, object? Value)[] parameters) =>
        SqlStatement.Of(_inner, Dialect, sql, parameters);
}

/// <summary>A statement of the transaction failed, and its caller caught the error and continued. COMMIT would roll back without an error.</summary>
internal sealed class AbortedTransactionException()
    : DbException("A statement failed and its error was caught, so the transaction is aborted and cannot be committed. Let the error pass, or run the statement in a savepoint.");

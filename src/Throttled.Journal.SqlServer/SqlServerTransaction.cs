using System.Data;
using System.Data.Common;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>The statements of one transaction, which is rolled back on disposal unless it was committed.</summary>
internal sealed class SqlServerTransaction : AdoTransaction, IAsyncDisposable
{
    // A large append to a slow disk may need this long. TCP keep-alive detects a server that is gone earlier.
    private const int BulkSeconds = 600;

    private readonly SqlConnection _connection;
    private readonly SqlTransaction _transaction;

    private SqlServerTransaction(SqlTransaction transaction) => (_connection, _transaction) = (transaction.Connection, transaction);

    // The driver begins and ends transactions synchronously. A pooled connection may have an unusual isolation level.
    internal static async Task<SqlServerTransaction> BeginAsync(SqlConnection connection, CancellationToken cancellation) =>
        new((SqlTransaction)await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellation).ConfigureAwait(false));

    // No token: a late cancel would report that nothing was appended, although the server has committed.
    internal Task CommitAsync() => _transaction.CommitAsync(CancellationToken.None);

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    /// <summary>Runs a statement that affects many rows, with a longer timeout.</summary>
    internal Task RunBulkAsync(string sql, CancellationToken cancellation, params DbParameter[] parameters)
    {
        var command = Command(sql, parameters);
        command.CommandTimeout = BulkSeconds;
        return RunAsync(command, cancellation);
    }

    /// <summary>Copies rows into a temporary table.</summary>
    /// <param name="table">The table.</param>
    /// <param name="rows">The rows, with the table's columns from the first on.</param>
    /// <param name="cancellation">Cancels the copy.</param>
    internal async Task CopyAsync(string table, BulkRows rows, CancellationToken cancellation)
    {
        using var copy = new SqlBulkCopy(_connection, SqlBulkCopyOptions.Default, _transaction) { DestinationTableName = table, BulkCopyTimeout = BulkSeconds };
        await copy.WriteToServerAsync(rows, cancellation).ConfigureAwait(false);
    }

    protected override DbCommand Command(string sql, DbParameter[] parameters)
    {
        var command = new SqlCommand(sql, _connection, _transaction) { CommandTimeout = _connection.CommandTimeout };
        SqlServerParameters.Add(command, parameters);
        return command;
    }
}

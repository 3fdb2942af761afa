using System.Data;
using Microsoft.Data.SqlClient;

namespace Throttled.Journal.SqlServer;

/// <summary>The statements of one transaction, which is rolled back on disposal unless it was committed.</summary>
internal sealed class SqlServerTransaction : IAsyncDisposable
{
    // A large append to a slow disk may need this long. TCP keep-alive detects a server that is gone earlier.
    private const int BulkSeconds = 600;

    private static readonly SqlServerDialect Dialect = new();

    private readonly SqlConnection _connection;
    private readonly SqlTransaction _transaction;

    private SqlServerTransaction(SqlTransaction transaction) => (_connection, _transaction) = (transaction.Connection, transaction);

    // The driver begins and ends transactions synchronously. A pooled connection may have an unusual isolation level.
    internal static async Task<SqlServerTransaction> BeginAsync(SqlConnection connection, CancellationToken cancellation) =>
        new((SqlTransaction)await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, cancellation).ConfigureAwait(false));

    // No token: a late cancel would report that nothing was appended, although the server has committed.
    internal Task CommitAsync() => _transaction.CommitAsync(CancellationToken.None);

    public ValueTask DisposeAsync() => _transaction.DisposeAsync();

    internal Task RunAsync(string sql, CancellationToken cancellation, params SqlParameter[] parameters) =>
        RunAsync(sql, _connection.CommandTimeout, parameters, cancellation);

    /// <summary>Runs a statement that affects many rows, with a longer timeout.</summary>
    internal Task RunBulkAsync(string sql, CancellationToken cancellation, params SqlParameter[] parameters) =>
        RunAsync(sql, BulkSeconds, parameters, cancellation);

    /// <returns>The first row; the type's default if there is no row.</returns>
    internal async Task<T?> ReadAsync<T>(string sql, Func<SqlDataReader, T> read, CancellationToken cancellation, params SqlParameter[] parameters)
    {
        var command = Command(sql, _connection.CommandTimeout, parameters);
        await using var closing = command.ConfigureAwait(false);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        return await reader.ReadAsync(cancellation).ConfigureAwait(false) ? read(reader) : default;
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

    private async Task RunAsync(string sql, int seconds, SqlParameter[] parameters, CancellationToken cancellation)
    {
        var command = Command(sql, seconds, parameters);
        await using var closing = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    private SqlCommand Command(string sql, int seconds, SqlParameter[] parameters)
    {
        var command = new SqlCommand(sql, _connection, _transaction) { CommandTimeout = seconds };
        for (var i = 0; i < parameters.Length; i++)
        {
            parameters[i].ParameterName = Dialect.Parameter(i + 1);
            command.Parameters.Add(parameters[i]);
        }
        return command;
    }
}

using System.Data.Common;

namespace Throttled.Projections.Databases;

internal static class SqlStatement
{
    /// <summary>Runs a handler's own statement. A long one has no time limit; others have the driver's.</summary>
    internal static Task<int> ExecuteAsync(
        DbTransaction transaction, ReadModelDialect dialect, string sql, bool isLong, CancellationToken cancellation, params (string Name, object? Value)[] parameters) =>
        ExecuteAsync(Of(transaction, dialect, sql, isLong, parameters), isPrepared: false, cancellation);

    /// <summary>A handler's own statement. A long one has no time limit; others have the driver's.</summary>
    internal static DbCommand Of(DbTransaction transaction, ReadModelDialect dialect, string sql, bool isLong, (string Name, object? Value)[] parameters)
    {
        ArgumentException.ThrowIfNullOrEmpty(sql);
        ArgumentNullException.ThrowIfNull(parameters);
        var command = Of(transaction, dialect, sql, parameters);
        if (isLong)
            command.CommandTimeout = 0;
        return command;
    }

    internal static async Task<int> ExecuteAsync(DbCommand command, bool isPrepared, CancellationToken cancellation)
    {
        await using var _ = command.ConfigureAwait(false);
        if (isPrepared)
            await command.PrepareAsync(cancellation).ConfigureAwait(false);
        return await CancelledAsync(() => command.ExecuteNonQueryAsync(cancellation), cancellation).ConfigureAwait(false);
    }

    /// <summary>Runs a statement for some rows: once with all of them, or prepared and then once for each row.</summary>
    internal static async Task<int> ExecuteForAsync(DbCommand command, bool isPrepared, SqlRows rows, ReadModelDialect dialect, CancellationToken cancellation)
    {
        var first = command.Parameters.Count;
        Add(command, dialect, dialect.HasArrays ? dialect.Parameters(rows) : rows.Row(0));
        if (dialect.HasArrays)
            return await ExecuteAsync(command, isPrepared && dialect.Prepares, cancellation).ConfigureAwait(false);
        await using var _ = command.ConfigureAwait(false);
        await command.PrepareAsync(cancellation).ConfigureAwait(false);
        var touched = 0;
        for (var index = 0; index < rows.Count; index++)
        {
            rows.Set(command.Parameters, first, index);
            touched += await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
        }
        return touched;
    }

    internal static async Task<List<T>> ReadAsync<T>(DbCommand command, Func<DbDataReader, T> row, CancellationToken cancellation)
    {
        await using var _ = command.ConfigureAwait(false);
        List<T> rows = [];
        await AddAsync(rows, command, row, cancellation).ConfigureAwait(false);
        return rows;
    }

    /// <summary>Runs a query for some rows: once with all of them, or prepared and then once for each row.</summary>
    internal static async Task<List<T>> ReadForAsync<T>(
        DbCommand command, bool isPrepared, SqlRows rows, ReadModelDialect dialect, Func<DbDataReader, T> row, CancellationToken cancellation)
    {
        await using var _ = command.ConfigureAwait(false);
        List<T> read = [];
        if (rows.Count == 0)
            return read;
        var first = command.Parameters.Count;
        Add(command, dialect, dialect.HasArrays ? dialect.Parameters(rows) : rows.Row(0));
        if (!dialect.HasArrays || (isPrepared && dialect.Prepares))
            await command.PrepareAsync(cancellation).ConfigureAwait(false);
        for (var index = 0; index < (dialect.HasArrays ? 1 : rows.Count); index++)
        {
            if (!dialect.HasArrays)
                rows.Set(command.Parameters, first, index);
            await AddAsync(read, command, row, cancellation).ConfigureAwait(false);
        }
        return read;
    }

    internal static DbCommand Of(DbTransaction transaction, ReadModelDialect dialect, string sql, (string Name, object? Value)[] parameters)
    {
        var command = ConnectionOf(transaction).CreateCommand();
        (command.Transaction, command.CommandText) = (transaction, sql);
        Add(command, dialect, parameters);
        return command;
    }

    // If SQL Server has rolled the transaction back, its driver would run the statement outside of it:
    // https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqltransaction.connection
    internal static DbConnection ConnectionOf(DbTransaction transaction) => transaction.Connection ?? throw new InvalidOperationException(
        "The transaction has ended. A handler must not commit it, roll it back, or catch an error that the database answers with a rollback.");

    private static async Task AddAsync<T>(List<T> rows, DbCommand command, Func<DbDataReader, T> row, CancellationToken cancellation)
    {
        var reader = await CancelledAsync(() => command.ExecuteReaderAsync(cancellation), cancellation).ConfigureAwait(false);
        await using var _ = reader.ConfigureAwait(false);
        while (await CancelledAsync(() => reader.ReadAsync(cancellation), cancellation).ConfigureAwait(false))
            rows.Add(row(reader));
    }

    // The driver of SQL Server throws its own exception for a statement that was cancelled. Nobody may take that for a failure of the database.
    private static async Task<T> CancelledAsync<T>(Func<Task<T>> call, CancellationToken cancellation)
    {
        try
        {
            return await call().ConfigureAwait(false);
        }
        catch (DbException error) when (cancellation.IsCancellationRequested)
        {
            throw new OperationCanceledException(error.Message, error, cancellation);
        }
    }

    private static void Add(DbCommand command, ReadModelDialect dialect, (string Name, object? Value)[] parameters)
    {
        foreach (var (name, value) in parameters)
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = (name, value ?? DBNull.Value);
            dialect.Declare(parameter);
            command.Parameters.Add(parameter);
        }
    }
}

/// <summary>Rows as the parameters of one statement: each column has a name and an array, all of the same length. The first one is a key.</summary>
internal sealed class SqlRows(params (string Name, Array Values)[] columns)
{
    internal int Count => columns[0].Values.Length;

    internal IReadOnlyList<(string Name, Array Values)> Columns => columns;

    internal (string Name, object? Value)[] Arrays => [.. columns.Select(column => (column.Name, (object?)column.Values))];

    internal (string Name, object? Value)[] Row(int index) => [.. columns.Select(column => (column.Name, column.Values.GetValue(index)))];

    internal void Set(DbParameterCollection parameters, int first, int index)
    {
        for (var column = 0; column < columns.Length; column++)
            parameters[first + column].Value = columns[column].Values.GetValue(index) ?? DBNull.Value;
    }
}

using System.Data.Common;

namespace Throttled.Projections.Databases;

/// <summary>A statement of a transaction, with named parameters.</summary>
internal static class SqlStatement
{
    /// <summary>Runs a handler's own statement. If <paramref name="isLong"/> is true, it has no time limit; otherwise it has the driver's.</summary>
    /// <returns>The number of affected rows.</returns>
    internal static Task<int> ExecuteAsync(
        DbTransaction transaction, string sql, bool isLong, CancellationToken cancellation, params (string Name, object? Value)[] parameters)
    {
        ArgumentException.ThrowIfNullOrEmpty(sql);
        ArgumentNullException.ThrowIfNull(parameters);
        var connection = transaction.Connection ?? throw new InvalidOperationException("The transaction has ended: a handler neither commits nor rolls it back.");
        var command = Of(connection, transaction, sql, parameters);
        if (isLong)
            command.CommandTimeout = 0;
        return ExecuteAsync(command, cancellation);
    }

    /// <returns>The number of affected rows.</returns>
    internal static async Task<int> ExecuteAsync(DbCommand command, CancellationToken cancellation)
    {
        await using (command.ConfigureAwait(false))
            return await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    internal static DbCommand Of(DbConnection connection, DbTransaction transaction, string sql, (string Name, object? Value)[] parameters)
    {
        var command = connection.CreateCommand();
        (command.Transaction, command.CommandText) = (transaction, sql);
        foreach (var (name, value) in parameters)
        {
            var parameter = command.CreateParameter();
            (parameter.ParameterName, parameter.Value) = (name, value ?? DBNull.Value);
            command.Parameters.Add(parameter);
        }
        return command;
    }
}

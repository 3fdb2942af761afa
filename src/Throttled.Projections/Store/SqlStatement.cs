using System.Data.Common;

namespace Throttled.Projections.Store;

/// <summary>A statement of a transaction, with named parameters.</summary>
internal static class SqlStatement
{
    /// <returns>How many rows it touched.</returns>
    internal static async Task<int> ExecuteAsync(
        DbTransaction transaction, string sql, CancellationToken cancellation, params (string Name, object? Value)[] parameters)
    {
        ArgumentException.ThrowIfNullOrEmpty(sql);
        ArgumentNullException.ThrowIfNull(parameters);
        var command = Of(transaction, sql, parameters);
        await using (command.ConfigureAwait(false))
            return await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    internal static DbCommand Of(DbTransaction transaction, string sql, (string Name, object? Value)[] parameters)
    {
        var command = transaction.Connection!.CreateCommand();
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

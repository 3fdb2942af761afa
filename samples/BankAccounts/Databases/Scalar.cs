using System.Data.Common;

namespace BankAccounts.Databases;

/// <summary>Small statements.</summary>
internal static class Scalar
{
    /// <returns>The first column of the first row; null where there is none, or a database's null.</returns>
    internal static async Task<object?> ReadAsync(DbDataSource source, string sql, CancellationToken cancellation)
    {
        await using var open = await source.OpenConnectionAsync(cancellation);
        await using var command = open.CreateCommand();
        command.CommandText = sql;
        command.CommandTimeout = 0;
        return await command.ExecuteScalarAsync(cancellation) is { } found and not DBNull ? found : null;
    }

    internal static Task RunAsync(DbDataSource source, string sql, CancellationToken cancellation) => ReadAsync(source, sql, cancellation);
}

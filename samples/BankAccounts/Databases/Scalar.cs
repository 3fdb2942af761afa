using System.Data.Common;

namespace BankAccounts.Databases;

/// <summary>Runs statements that return at most one value.</summary>
internal static class Scalar
{
    /// <returns>The first column of the first row; null if there is no row, or if it is NULL.</returns>
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

using System.Data.Common;

namespace Throttled.Journal.Relational;

/// <summary>The statements of one transaction.</summary>
internal abstract class AdoTransaction
{
    internal Task RunAsync(string sql, CancellationToken cancellation, params DbParameter[] parameters) => RunAsync(Command(sql, parameters), cancellation);

    /// <returns>The first row; the type's default if there is no row.</returns>
    internal async Task<T?> ReadAsync<T>(string sql, Func<DbDataReader, T> read, CancellationToken cancellation, params DbParameter[] parameters)
    {
        var command = Command(sql, parameters);
        await using var closing = command.ConfigureAwait(false);
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var draining = reader.ConfigureAwait(false);
        return await reader.ReadAsync(cancellation).ConfigureAwait(false) ? read(reader) : default;
    }

    protected static async Task RunAsync(DbCommand command, CancellationToken cancellation)
    {
        await using var closing = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
    }

    protected abstract DbCommand Command(string sql, DbParameter[] parameters);
}

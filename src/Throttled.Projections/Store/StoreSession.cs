using Throttled.Projections.Databases;

namespace Throttled.Projections.Store;

/// <summary>Runs transactions on the tables of projections.</summary>
internal sealed class StoreSession(ReadModelDatabase readModel)
{
    internal StoreSpelling Spelling { get; } = readModel.Dialect is SqliteReadModelDialect ? new SqliteSpelling() : new PostgreSqlSpelling();

    internal Task<DatabaseTransaction> BeginAsync(CancellationToken cancellation) => DatabaseTransaction.BeginAsync(readModel, Spelling, cancellation);

    /// <summary>Writes in a transaction, and commits it if nothing is thrown.</summary>
    internal Task WriteAsync(Func<DatabaseTransaction, Task> write, CancellationToken cancellation) => WriteAsync(
        async transaction =>
        {
            await write(transaction).ConfigureAwait(false);
            return true;
        },
        cancellation);

    /// <inheritdoc cref="WriteAsync(Func{DatabaseTransaction, Task}, CancellationToken)"/>
    internal async Task<T> WriteAsync<T>(Func<DatabaseTransaction, Task<T>> write, CancellationToken cancellation)
    {
        var transaction = await BeginAsync(cancellation).ConfigureAwait(false);
        await using var _ = transaction.ConfigureAwait(false);
        var result = await write(transaction).ConfigureAwait(false);
        await transaction.CommitAsync(cancellation).ConfigureAwait(false);
        return result;
    }

    /// <summary>Reads in a transaction in which all statements see the same moment.</summary>
    internal async Task<T> ReadAsync<T>(Func<DatabaseTransaction, Task<T>> read, CancellationToken cancellation)
    {
        var transaction = await DatabaseTransaction.SnapshotAsync(readModel, Spelling, cancellation).ConfigureAwait(false);
        await using var _ = transaction.ConfigureAwait(false);
        var result = await read(transaction).ConfigureAwait(false);
        await transaction.CommitAsync(cancellation).ConfigureAwait(false);
        return result;
    }
}

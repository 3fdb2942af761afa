using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Merging;

namespace Throttled.Projections;

/// <summary>
/// The database of a read model. It also has the tables for offsets, dead letters and commands. Their names begin with <c>throttled_projection</c>.
/// The first start creates them if they do not exist.
/// </summary>
public sealed class ReadModelDatabase
{
    private ReadModelDatabase(DbDataSource source, ReadModelDialect dialect, string name, SemaphoreSlim? writeTurns = null)
    {
        Source = source;
        Name = name;
        Dialect = dialect;
        WriteTurns = writeTurns;
    }

    internal DbDataSource Source { get; }

    internal ReadModelDialect Dialect { get; }

    /// <summary>The database and its host, or the file; without a user or a password.</summary>
    internal string Name { get; }

    /// <summary>SQLite allows one writer at a time. Lanes queue here instead of retrying. Null if the database allows many writers.</summary>
    internal SemaphoreSlim? WriteTurns { get; }

    /// <summary>
    /// Quotes a name for SQL, for all databases. The result is in double quotes, so it names one table, view or column, whatever characters are in
    /// it. PostgreSQL then keeps its case, as <see cref="MergeTable{TRow}"/> does: a table <c>Balances</c> must always be written in quotes.
    /// </summary>
    /// <param name="name">One name, without a schema: a dot is a part of the name.</param>
    /// <exception cref="ArgumentException">The name is empty, contains a NUL, or has more than 63 bytes in UTF-8, which PostgreSQL would cut
    /// off.</exception>
    public static string Quote(string name) => MergeText.Quote(MergeName.Checked(name, "table"));

    /// <summary>A read model in PostgreSQL, version 12 or later. A process uses one connection for each of its lanes, and one more.</summary>
    /// <param name="source">An <c>NpgsqlDataSource</c>. The caller disposes it, after the projection. Its search path determines the schema of the
    /// tables. A connection pooler in between must support prepared statements, as PgBouncer 1.21 and later do with <c>max_prepared_statements</c>
    /// above 0.</param>
    /// <exception cref="ArgumentException">The driver refuses the data source's connection string.</exception>
    public static ReadModelDatabase PostgreSql(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return new(source, ReadModelDialect.PostgreSql, ReadModelSource.Named(source, "PostgreSQL"));
    }

    /// <summary>A read model in a SQLite file. Lanes take turns to write. If the file is not in WAL mode, each reader blocks them.</summary>
    /// <param name="source">Created with <c>SqliteFactory.Instance.CreateDataSource(connectionString)</c>. The caller disposes it, after the
    /// projection.</param>
    /// <exception cref="ArgumentException">The driver refuses the data source's connection string. Or it names no file, so each connection would have a
    /// database of its own; a database in memory needs <c>Mode=Memory;Cache=Shared</c>.</exception>
    public static ReadModelDatabase Sqlite(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return new(source, ReadModelDialect.Sqlite, ReadModelSource.NamedFile(source), new(1, 1));
    }

    /// <summary>
    /// A read model in SQL Server 2017 or later, or in Azure SQL Database. A process uses one connection for each of its lanes, and one more. Allow snapshot
    /// isolation in the database (<c>ALTER DATABASE … SET ALLOW_SNAPSHOT_ISOLATION ON</c>). If it and <c>READ_COMMITTED_SNAPSHOT</c> are off, reads of the
    /// status wait for running batches, and the log says so at the start (id 117).
    /// </summary>
    /// <param name="source">Created with <c>SqlClientFactory.Instance.CreateDataSource(connectionString)</c>. The caller disposes it, after the
    /// projection. The default schema of its user determines the schema of the tables. The database's compatibility level is 130 or higher.</param>
    /// <exception cref="ArgumentException">The driver refuses the data source's connection string.</exception>
    public static ReadModelDatabase SqlServer(DbDataSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return new(source, ReadModelDialect.SqlServer, ReadModelSource.Named(source, "SQL Server"));
    }

    internal Task WriteAsync(Func<DatabaseTransaction, Task> write, CancellationToken cancellation) => WriteAsync(
        async transaction =>
        {
            await write(transaction).ConfigureAwait(false);
            return true;
        },
        cancellation);

    internal async Task<T> WriteAsync<T>(Func<DatabaseTransaction, Task<T>> write, CancellationToken cancellation) =>
        await RunAsync(await DatabaseTransaction.BeginAsync(this, cancellation).ConfigureAwait(false), write).ConfigureAwait(false);

    /// <summary>Reads in a transaction in which all statements see the same moment.</summary>
    internal async Task<T> ReadAsync<T>(Func<DatabaseTransaction, Task<T>> read, CancellationToken cancellation) =>
        await RunAsync(await DatabaseTransaction.SnapshotAsync(this, cancellation).ConfigureAwait(false), read).ConfigureAwait(false);

    private static async Task<T> RunAsync<T>(DatabaseTransaction transaction, Func<DatabaseTransaction, Task<T>> statements)
    {
        await using var _ = transaction.ConfigureAwait(false);
        var result = await statements(transaction).ConfigureAwait(false);
        await transaction.CommitAsync(transaction.Cancellation).ConfigureAwait(false);
        return result;
    }
}

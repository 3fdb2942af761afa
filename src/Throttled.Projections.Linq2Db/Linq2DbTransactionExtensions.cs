using System.Data.Common;
using LinqToDB;
using LinqToDB.Data;
using LinqToDB.DataProvider;
using LinqToDB.DataProvider.PostgreSQL;
using LinqToDB.DataProvider.SQLite;
using LinqToDB.DataProvider.SqlServer;
using Throttled.Projections.Handlers;

namespace Throttled.Projections.Linq2Db;

/// <summary>Lets a handler write with linq2db in the transaction that also stores the offset.</summary>
public static class Linq2DbTransactionExtensions
{
    /// <summary>
    /// Returns linq2db's connection in this transaction: LINQ, <c>Merge</c> and <c>BulkCopy</c> write in it. Each call in the same transaction returns
    /// the same object, and the projection disposes it. Do not dispose it, and do not begin, commit or roll back a transaction with it. It works
    /// wherever there is such a transaction: in a <see cref="TransactionalHandler"/>, in a <see cref="BatchHandler"/>, in functions, and in
    /// <see cref="ProjectionHandler.PrepareAsync"/>.
    /// <code>
    /// await transaction.GetDataConnection().GetTable&lt;Order>().TableName(transaction.Version).Where(order => order.Id == id).DeleteAsync(cancellationToken);
    /// </code>
    /// </summary>
    /// <param name="transaction">The batch, or the transaction of an event or of a read model.</param>
    /// <param name="configure">Adds options, such as a mapping schema or an interceptor. Only the first call in a transaction uses it. Keep a mapping
    /// schema in a static field: linq2db compiles queries for each one. By default nothing is added.</param>
    /// <exception cref="NotSupportedException">The connection is not one of Npgsql, Microsoft.Data.Sqlite or Microsoft.Data.SqlClient.</exception>
    /// <exception cref="InvalidOperationException">The options are null, or have another connection. Then the lane stops, whatever
    /// <see cref="ProjectionOptions.OnFailure"/> is, because every event would fail. Or the handler has returned.</exception>
    public static DataConnection GetDataConnection(this ReadModelTransaction transaction, Func<DataOptions, DataOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        return transaction.Writer(inner => new Linq2DbWriter(inner, configure)).Connection;
    }
}

/// <summary>The options name a transaction that linq2db did not begin, so it neither ends it nor closes its connection.</summary>
internal sealed class Linq2DbWriter(DbTransaction transaction, Func<DataOptions, DataOptions>? configure) : ITransactionWriter
{
    internal DataConnection Connection { get; } = new(OptionsOf(transaction, configure));

    // linq2db keeps no changes in memory.
    public Task FlushAsync(CancellationToken cancellation) => Task.CompletedTask;

    public ValueTask DisposeAsync() => Connection.DisposeAsync();

    private static DataOptions OptionsOf(DbTransaction transaction, Func<DataOptions, DataOptions>? configure)
    {
        var options = new DataOptions().UseTransaction(ProviderOf(transaction), transaction);
        if (configure is null)
            return options;
        var configured = configure(options) ?? throw new WriterSetUpException("The function 'configure' returned null; return the options that it gets, with what it adds.");
        return ReferenceEquals(configured.ConnectionOptions.DbTransaction, transaction)
            ? configured
            : throw new WriterSetUpException("The function 'configure' returned options with another connection or transaction; return the options that it gets, with what it adds.");
    }

    // By name, because this package needs no driver.
    private static IDataProvider ProviderOf(DbTransaction transaction) => transaction.Connection switch
    {
        // MERGE needs PostgreSQL 15. The driver knows the server's version since it connected.
        { } known when known.GetType().FullName == "Npgsql.NpgsqlConnection" =>
            PostgreSQLTools.GetDataProvider(connectionString: null, connection: known, transaction: transaction),
        { } known when known.GetType().FullName == "Microsoft.Data.Sqlite.SqliteConnection" => SQLiteTools.GetDataProvider(SQLiteProvider.Microsoft),
        // The oldest version that read models may be in. To detect a newer one, linq2db would run a statement for each batch.
        { } known when known.GetType().FullName == "Microsoft.Data.SqlClient.SqlConnection" =>
            SqlServerTools.GetDataProvider(SqlServerVersion.v2016, SqlServerProvider.MicrosoftDataSqlClient),
        { } other => throw new NotSupportedException(
            $"The read model's connection is a {other.GetType()}; linq2db can write to those of Npgsql, Microsoft.Data.Sqlite and Microsoft.Data.SqlClient. Create the read model's data source with one of them."),
        null => throw new InvalidOperationException("The transaction has ended. A handler must not commit it or roll it back."),
    };
}

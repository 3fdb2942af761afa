using System.Data.Common;
using Throttled.Projections.Databases;
using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>An open transaction of the read model database. What a handler writes in it is committed with the offset, or not at all.</summary>
public class ReadModelTransaction
{
    private readonly DbTransaction _transaction;
    private readonly bool _isUnlimited;
    private readonly List<ITransactionWriter> _writers = [];
    private bool _isOver;

    internal ReadModelTransaction(string version, DbTransaction transaction, ReadModelDialect dialect, bool isUnlimited = false) =>
        (Version, _transaction, Dialect, _isUnlimited) = (version, transaction, dialect, isUnlimited);

    /// <summary>
    /// The read model that is written: the projection's name, or the name that a rebuild was given. Anyone who may insert a command can choose that
    /// name. Always use it in SQL through <see cref="ReadModelDatabase.Quote"/>.
    /// </summary>
    public string Version { get; }

    /// <summary>The open transaction. It is committed after the handler returns. The handler must not commit it or roll it back.</summary>
    public DbTransaction Transaction
    {
        get
        {
            IsUsed = true;
            return _transaction;
        }
    }

    /// <summary>The transaction's connection, open.</summary>
    /// <exception cref="InvalidOperationException">The transaction has ended: the database rolled it back because of an error that the handler caught.</exception>
    public DbConnection Connection => SqlStatement.ConnectionOf(Transaction);

    internal ReadModelDialect Dialect { get; }

    /// <summary>Whether the handler used the transaction itself since this was set to false.</summary>
    internal bool IsUsed { get; set; }

    /// <summary>Whether <see cref="MergeTable{TRow}"/> wrote since this was set to false.</summary>
    internal bool IsMerged { get; set; }

    /// <summary>
    /// The transaction for <see cref="MergeTable{TRow}"/>, which writes folded changes. Its use does not show that events outside a fold were
    /// handled.
    /// </summary>
    internal DbTransaction Merging
    {
        get
        {
            IsMerged = true;
            return _transaction;
        }
    }

    /// <summary>
    /// Runs a statement in the transaction. In <see cref="ProjectionHandler.PrepareAsync"/>, <see cref="ProjectionHandler.SwapAsync"/> and
    /// <see cref="ProjectionHandler.DropAsync"/> it has no time limit, because emptying a large read model may take long. A statement that the
    /// handler runs on <see cref="Connection"/> has the driver's time limit, unless the handler sets another.
    /// </summary>
    /// <param name="sql">One statement, or several separated by semicolons. Pass values as <paramref name="parameters"/>, and table names that
    /// contain <see cref="Version"/> through <see cref="ReadModelDatabase.Quote"/>.</param>
    /// <param name="cancellationToken">Cancels the statement.</param>
    /// <param name="parameters">The values for each <c>@name</c> in the statement, as <c>("name", value)</c>; null is the database's null.</param>
    /// <returns>The number of affected rows, as the driver counts them.</returns>
    public Task<int> ExecuteAsync(string sql, CancellationToken cancellationToken, params (string Name, object? Value)[] parameters) =>
        SqlStatement.ExecuteAsync(Transaction, Dialect, sql, _isUnlimited, cancellationToken, parameters);

    /// <summary>Runs a query in the transaction, with the time limit of <see cref="ExecuteAsync"/>.</summary>
    /// <typeparam name="T">What is made of a row.</typeparam>
    /// <param name="sql">One query. Pass values and table names as in <see cref="ExecuteAsync"/>.</param>
    /// <param name="row">Reads the current row.</param>
    /// <param name="cancellationToken">Cancels the query.</param>
    /// <param name="parameters">The values, as in <see cref="ExecuteAsync"/>.</param>
    public async Task<IReadOnlyList<T>> QueryAsync<T>(
        string sql, Func<DbDataReader, T> row, CancellationToken cancellationToken, params (string Name, object? Value)[] parameters)
    {
        ArgumentNullException.ThrowIfNull(row);
        return await SqlStatement.ReadAsync(SqlStatement.Of(Transaction, Dialect, sql, _isUnlimited, parameters), row, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The only writer of its type in this transaction, created at the first call.</summary>
    /// <exception cref="InvalidOperationException">The handler's code has ended: nobody would flush or dispose the writer.</exception>
    internal TWriter Writer<TWriter>(Func<DbTransaction, TWriter> create)
        where TWriter : ITransactionWriter
    {
        if (_isOver)
            throw new InvalidOperationException("The handler has returned, so it can write no more in this transaction. Await all calls in the handler.");
        var transaction = Transaction;
        if (_writers.OfType<TWriter>().FirstOrDefault() is { } known)
            return known;
        var writer = create(transaction);
        _writers.Add(writer);
        return writer;
    }

    /// <summary>Runs the handler's code, then lets the writers write what they still hold. They end with the code, whether it fails or not.</summary>
    internal async Task<T> RunAsync<T>(Func<Task<T>> handle, CancellationToken cancellation)
    {
        try
        {
            var result = await handle().ConfigureAwait(false);
            _isOver = true;
            foreach (var writer in _writers)
                await writer.FlushAsync(cancellation).ConfigureAwait(false);
            return result;
        }
        finally
        {
            _isOver = true;
            foreach (var writer in _writers)
                await writer.DisposeAsync().ConfigureAwait(false);
            _writers.Clear();
        }
    }
}

/// <summary>A read model that is being created, emptied, swapped or dropped, in an open transaction.</summary>
public sealed class ReadModelScope : ReadModelTransaction
{
    internal ReadModelScope(string version, VersionRole role, DbTransaction transaction, ReadModelDialect dialect)
        : base(version, transaction, dialect, dialect.EndsLongStatements) => IsLive = role == VersionRole.Live;

    /// <summary>
    /// Whether the read model is live or about to be. True in <see cref="ProjectionHandler.SwapAsync"/>; false for a rebuild and in
    /// <see cref="ProjectionHandler.DropAsync"/>.
    /// </summary>
    public bool IsLive { get; }
}

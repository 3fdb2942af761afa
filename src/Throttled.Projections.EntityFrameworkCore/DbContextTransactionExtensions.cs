using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Throttled.Projections.Handlers;

namespace Throttled.Projections.EntityFrameworkCore;

/// <summary>Lets a handler write with Entity Framework Core in the transaction that also stores the offset.</summary>
public static class DbContextTransactionExtensions
{
    /// <summary>
    /// Returns a context in this transaction. Each call in the same transaction returns the same context, so all events of a batch share its tracked
    /// entities. After the last event its changes are saved, and it is disposed. The next transaction has a new one, also when this one is rolled
    /// back. Do not dispose it, and do not begin, commit or roll back a transaction with it. It works wherever there is such a transaction: in a
    /// <see cref="TransactionalHandler"/>, in a <see cref="BatchHandler"/>, in functions, and in <see cref="ProjectionHandler.PrepareAsync"/>.
    /// <code>
    /// var shop = transaction.GetDbContext(connection => new ShopContext(new DbContextOptionsBuilder&lt;ShopContext>().UseNpgsql(connection).Options));
    /// </code>
    /// </summary>
    /// <typeparam name="TContext">The type of the context. A transaction has at most one of each type.</typeparam>
    /// <param name="transaction">The batch, or the transaction of an event or of a read model.</param>
    /// <param name="create">Creates the context, if the transaction has none yet, on the connection that it gets. The context must not own that
    /// connection, and must have no execution strategy that retries: the projection repeats the batch.</param>
    /// <exception cref="InvalidOperationException">The context has no provider or an invalid model, has another connection, owns it, or retries. Then the
    /// lane stops, whatever <see cref="ProjectionOptions.OnFailure"/> is, because every event would fail. Or the handler has returned.</exception>
    /// <remarks>
    /// Changes are saved once, so statements that you run yourself, LINQ queries and <c>ExecuteUpdate</c> do not see those before them. Call
    /// <c>SaveChangesAsync</c> before such a statement, or find entities by key: <c>FindAsync</c> also finds those that are not saved yet. Do not
    /// catch an error of <c>SaveChangesAsync</c>: some of its rows may be written. If you do, nothing of the transaction is committed.
    /// </remarks>
    public static TContext GetDbContext<TContext>(this ReadModelTransaction transaction, Func<DbConnection, TContext> create)
        where TContext : DbContext
    {
        ArgumentNullException.ThrowIfNull(transaction);
        ArgumentNullException.ThrowIfNull(create);
        return transaction.Writer(inner => new DbContextWriter<TContext>(inner, create)).Context;
    }
}

internal sealed class DbContextWriter<TContext> : ITransactionWriter
    where TContext : DbContext
{
    private int _unfinishedSaves;
    private Exception? _failure;

    internal DbContextWriter(DbTransaction transaction, Func<DbConnection, TContext> create)
    {
        var connection = transaction.Connection ?? throw new InvalidOperationException("The transaction has ended. A handler must not commit it or roll it back.");
        Context = create(connection) ?? throw new WriterSetUpException($"The function returned null; return a new {typeof(TContext)}.");
        try
        {
            Open(Context, connection);
            Context.Database.UseTransaction(transaction);
            // Behind a savepoint, a failed statement leaves the transaction usable. So a deadlock would look like a fault of the handler, and the
            // batch would be divided instead of repeated. It would also cost two statements for each save:
            // https://learn.microsoft.com/ef/core/saving/transactions#savepoints
            Context.Database.AutoSavepointsEnabled = false;
            WatchSaves();
        }
        catch
        {
            Context.Dispose();
            throw;
        }
    }

    internal TContext Context { get; }

    // Without a savepoint, SQLite and SQL Server keep the rows that a failed save has written. Another save would write them again.
    public Task FlushAsync(CancellationToken cancellation) => _unfinishedSaves == 0
        ? Context.SaveChangesAsync(cancellation)
        : throw new InvalidOperationException(
            $"SaveChanges of {typeof(TContext)} failed, and the handler caught the error. Some rows may be written, so nothing is committed. Do not catch the error.",
            _failure);

    public ValueTask DisposeAsync() => Context.DisposeAsync();

    // EF Core reports no failure of a save that was cancelled, so the saves are counted.
    private void WatchSaves()
    {
        Context.SavingChanges += (_, _) => _unfinishedSaves++;
        Context.SavedChanges += (_, _) => _unfinishedSaves--;
        Context.SaveChangesFailed += (_, failed) => _failure ??= failed.Exception;
    }

    // The first use of the options and of the model shows what is wrong with them. Later it would look like the fault of an event. Faults that may pass, such as
    // those of a store of secrets, are tried again.
    private static void Open(TContext context, DbConnection connection)
    {
        try
        {
            _ = context.Model;
        }
        catch (Exception error) when (error is not (DbException or TimeoutException or OperationCanceledException or IOException or HttpRequestException))
        {
            throw new WriterSetUpException($"{typeof(TContext)} has no valid provider or model. {error.Message}", error);
        }
        Check(context, connection);
    }

    private static void Check(TContext context, DbConnection connection)
    {
        if (RelationalOptionsExtension.Extract(context.GetService<IDbContextOptions>()) is { IsConnectionOwned: true })
            throw new WriterSetUpException($"{typeof(TContext)} owns the connection, and would close it; leave out 'contextOwnsConnection'.");
        if (!ReferenceEquals(context.Database.GetDbConnection(), connection))
            throw new WriterSetUpException(
                $"{typeof(TContext)} has another connection than the transaction; create it on the one that the function gets, as in UseNpgsql(connection).");
        if (context.Database.CreateExecutionStrategy() is { RetriesOnFailure: true } strategy)
            throw new WriterSetUpException(
                $"{typeof(TContext)} has {strategy.GetType().Name}, which retries; a part of a transaction cannot be repeated. Create the context without 'EnableRetryOnFailure'. The projection repeats the whole batch.");
    }
}

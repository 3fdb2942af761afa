using BankAccounts.Domain;
using BankAccounts.Handlers;
using Throttled.Projections;

namespace Throttled.Benchmarks.Accounts;

/// <summary>Makes the handler of a row: the sample's, or one that writes each event by itself.</summary>
internal static class ReplayHandler
{
    /// <param name="accounts">The sample's handler.</param>
    /// <param name="writer">
    /// Merged writes use the sample's handler. A loop is a <see cref="BatchHandler"/>; every other way is a <see cref="TransactionalHandler"/>.
    /// </param>
    /// <param name="handled">Called with the number of events that were written, committed or not.</param>
    internal static ProjectionHandler Of(AccountHandler accounts, ReplayWriter writer, Action<int> handled)
    {
        var builder = new HandlerBuilder().Prepare(accounts.PrepareAsync).Swap(accounts.SwapAsync).Drop(accounts.DropAsync);
        return writer switch
        {
            ReplayWriter.EfCore => builder.Event(LibraryWriters.ByEfCore(handled)).Build(),
            ReplayWriter.Linq2Db => builder.Event(LibraryWriters.ByLinq2Db(handled)).Build(),
            ReplayWriter.Loop => builder.Batch(LoopAsync).Build(),
            ReplayWriter.MergedWrites => builder.Batch(MergeAsync).Build(),
            _ => builder
                .Event<AccountOpened>((opened, transaction, cancellation) => WriteAsync(opened.PersistenceId, opened.Payload, transaction, cancellation))
                .Event<AccountClosed>((closed, transaction, cancellation) => WriteAsync(closed.PersistenceId, closed.Payload, transaction, cancellation))
                .Event<AccountCredited>((credited, transaction, cancellation) => WriteAsync(credited.PersistenceId, credited.Payload, transaction, cancellation))
                .Event<AccountDebited>((debited, transaction, cancellation) => WriteAsync(debited.PersistenceId, debited.Payload, transaction, cancellation))
                .Build(),
        };

        async Task MergeAsync(ProjectionBatch batch, CancellationToken cancellation)
        {
            await accounts.HandleAsync(batch, cancellation);
            handled(batch.Count);
        }

        async Task LoopAsync(ProjectionBatch batch, CancellationToken cancellation)
        {
            foreach (var each in batch)
                await WriteAsync(each.PersistenceId, each.Payload, batch, cancellation);
        }

        // An account that is not there, or not there once, would mean that events came out of their order.
        async Task WriteAsync(string id, object change, ReadModelTransaction transaction, CancellationToken cancellation)
        {
            var rows = change switch
            {
                AccountOpened opened => await transaction.ExecuteAsync(Open(transaction.Version), cancellation, ("id", id), ("owner", opened.Owner)),
                AccountClosed => await transaction.ExecuteAsync(Close(transaction.Version), cancellation, ("id", id)),
                AccountCredited credited => await transaction.ExecuteAsync(Move(transaction.Version), cancellation, ("id", id), ("cents", credited.Cents)),
                AccountDebited debited => await transaction.ExecuteAsync(Move(transaction.Version), cancellation, ("id", id), ("cents", -debited.Cents)),
                _ => throw new InvalidOperationException($"An account does not know {change}."),
            };
            handled(rows == 1 ? 1 : throw new InvalidOperationException($"There is no {id}."));
        }
    }

    internal static string Close(string version) => $"DELETE FROM {AccountSql.Quoted(version)} WHERE account_id = @id";

    private static string Open(string version) => $"INSERT INTO {AccountSql.Quoted(version)} ({AccountSql.Columns}) VALUES (@id, @owner, 0, 1)";

    private static string Move(string version) =>
        $"UPDATE {AccountSql.Quoted(version)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";
}

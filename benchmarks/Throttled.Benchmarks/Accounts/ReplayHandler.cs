using BankAccounts.Domain;
using BankAccounts.Handlers;
using Throttled.Projections;

namespace Throttled.Benchmarks.Accounts;

/// <summary>The sample's handler, or a statement for each event, as handlers are usually written.</summary>
internal static class ReplayHandler
{
    /// <param name="accounts">The sample's handler.</param>
    /// <param name="writer">Merged writes are the sample's; for others there is a transactional handler.</param>
    /// <param name="handled">Called with the number of events that were written, committed or not.</param>
    internal static ProjectionHandler Of(AccountHandler accounts, ReplayWriter writer, Action<int> handled)
    {
        var builder = new HandlerBuilder().Prepare(accounts.PrepareAsync).Swap(accounts.SwapAsync).Drop(accounts.DropAsync);
        if (writer is ReplayWriter.EfCore or ReplayWriter.Linq2Db)
            return builder.Event<object>(writer == ReplayWriter.EfCore ? LibraryWriters.ByEfCore(handled) : LibraryWriters.ByLinq2Db(handled)).Build();
        return writer == ReplayWriter.MergedWrites
            ? builder
                .Batch(async (batch, cancellation) =>
                {
                    await accounts.HandleAsync(batch, cancellation);
                    handled(batch.Count);
                })
                .Build()
            : builder
                .Event<AccountOpened>((opened, transaction, cancellation) => WriteAsync(
                    opened, transaction, Open(transaction.Version), cancellation, ("owner", opened.Payload.Owner)))
                .Event<AccountClosed>((closed, transaction, cancellation) => WriteAsync(closed, transaction, Close(transaction.Version), cancellation))
                .Event<AccountCredited>((credited, transaction, cancellation) => WriteAsync(
                    credited, transaction, Move(transaction.Version), cancellation, ("cents", credited.Payload.Cents)))
                .Event<AccountDebited>((debited, transaction, cancellation) => WriteAsync(
                    debited, transaction, Move(transaction.Version), cancellation, ("cents", -debited.Payload.Cents)))
                .Build();

        // An account that is not there, or not there once, would mean that events came out of their order.
        async Task WriteAsync<T>(
            ProjectionEvent<T> each, ReadModelTransaction transaction, string sql, CancellationToken cancellation, params (string, object?)[] values)
            where T : notnull
        {
            if (await transaction.ExecuteAsync(sql, cancellation, [("id", each.PersistenceId), .. values]) != 1)
                throw new InvalidOperationException($"There is no {each.PersistenceId}.");
            handled(1);
        }
    }

    internal static string Close(string version) => $"DELETE FROM {AccountSql.Quoted(version)} WHERE account_id = @id";

    private static string Open(string version) => $"INSERT INTO {AccountSql.Quoted(version)} ({AccountSql.Columns}) VALUES (@id, @owner, 0, 1)";

    private static string Move(string version) =>
        $"UPDATE {AccountSql.Quoted(version)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";
}

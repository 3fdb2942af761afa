using BankAccounts.Domain;
using BankAccounts.Handlers;
using Throttled.Projections;

namespace Throttled.Benchmarks.Accounts;

/// <summary>The sample's handler, or a statement for each event, as handlers are usually written. Counts what it wrote.</summary>
internal sealed class ReplayHandler(AccountHandler accounts, bool isMerged) : BatchHandler
{
    private long _handled;

    /// <summary>Events that were written, committed or not.</summary>
    internal long Handled => Interlocked.Read(ref _handled);

    internal static string Close(string version) => $"DELETE FROM {AccountSql.Quoted(version)} WHERE account_id = @id";

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await (isMerged ? accounts.HandleAsync(batch, cancellationToken) : WriteAsync(batch, cancellationToken));
        Interlocked.Add(ref _handled, batch.Count);
    }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => accounts.PrepareAsync(scope, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => accounts.SwapAsync(from, to, cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) => accounts.DropAsync(scope, cancellationToken);

    private static async Task WriteAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        foreach (var each in batch)
        {
            // An account that is not there, or not there once, would mean that events came out of their order.
            if (await WriteAsync(batch, each, cancellation) != 1)
                throw new EventFailedException(each.Ordering, new InvalidOperationException($"There is no {each.PersistenceId}."));
        }
    }

    private static Task<int> WriteAsync(ProjectionBatch batch, ProjectionEvent each, CancellationToken cancellation)
    {
        var id = ("id", each.PersistenceId);
        return each.Payload switch
        {
            AccountOpened opened => batch.ExecuteAsync(Open(batch.Version), cancellation, id, ("owner", opened.Owner)),
            AccountClosed => batch.ExecuteAsync(Close(batch.Version), cancellation, id),
            AccountCredited credited => batch.ExecuteAsync(Move(batch.Version), cancellation, id, ("cents", credited.Cents)),
            var other => batch.ExecuteAsync(Move(batch.Version), cancellation, id, ("cents", -((AccountDebited)other).Cents)),
        };
    }

    private static string Open(string version) => $"INSERT INTO {AccountSql.Quoted(version)} ({AccountSql.Columns}) VALUES (@id, @owner, 0, 1)";

    private static string Move(string version) =>
        $"UPDATE {AccountSql.Quoted(version)} SET balance = balance + @cents, events = events + 1 WHERE account_id = @id";
}

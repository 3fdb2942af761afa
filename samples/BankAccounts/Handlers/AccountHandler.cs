using BankAccounts.Domain;
using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Keeps the open accounts with their balances. All events of an account in a batch become one row, and all rows are written together.</summary>
/// <param name="name">The projection, and the view of the live version of the read model.</param>
/// <param name="isMended">Whether the handler takes the events that <c>write --poison</c> made.</param>
internal sealed class AccountHandler(string name, AccountSql sql, bool isMended) : BatchHandler
{
    private static readonly MergeTable<AccountChange> Accounts = new MergeTable<AccountChange>()
        .Key("account_id", change => change.Id)
        .SetUnlessNull("owner", change => change.Owner)
        .Add("balance", change => change.Cents)
        .Add("events", change => change.Events)
        .DeleteWhen(change => change.IsClosed);

    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        var changes = batch.Fold(static (string id) => new AccountChange(id), Add);
        return Accounts.WriteAsync(batch, AccountSql.TableOf(batch.Version), changes, cancellationToken);
    }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        scope.ExecuteAsync(sql.Prepare(scope.Version) + (scope.IsLive ? sql.Show(name, scope.Version) : ""), cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) =>
        to.ExecuteAsync(sql.Show(name, to.Version), cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        scope.ExecuteAsync(AccountSql.Drop(scope.Version), cancellationToken);

    private void Add(BatchChanges<string, AccountChange> changes, ProjectionEvent each)
    {
        if (!isMended && each.Payload is AccountCredited { IsPoison: true })
            throw new InvalidOperationException("The handler cannot take this credit yet. Run it with --mended.");
        changes[each.PersistenceId].Add(each.Payload);
    }
}

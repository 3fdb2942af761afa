using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Folds all events of an account in a batch to one row, and writes all rows together.</summary>
internal sealed class MergeWriter(PoisonCheck poison) : IAccountWriter
{
    private static readonly MergeTable<AccountChange> Accounts = new MergeTable<AccountChange>()
        .Key("account_id", change => change.Id)
        .SetUnlessNull("owner", change => change.Owner)
        .Add("balance", change => change.Cents)
        .Add("events", change => change.Events)
        .DeleteWhen(change => change.IsClosed);

    public Task WriteAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        var changes = batch.Fold(static (string id) => new AccountChange(id), Add);
        return Accounts.WriteAsync(batch, AccountSql.TableOf(batch.Version), changes, cancellation);
    }

    private void Add(BatchChanges<string, AccountChange> changes, ProjectionEvent each)
    {
        poison.Pass(each);
        changes[each.PersistenceId].Add(each.Payload);
    }
}

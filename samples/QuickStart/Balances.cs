using Throttled.Projections;

sealed record Deposited(long Cents);

sealed class Balance(string account)
{
    public string Account { get; } = account;

    public long Cents { get; set; }
}

sealed class Balances : BatchHandler
{
    static readonly MergeTable<Balance> Table = new MergeTable<Balance>()
        .Key("account", balance => balance.Account)
        .Add("cents", balance => balance.Cents);

    // Creates the empty table: when the projection is new, and when it is reset.
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        var table = ReadModelDatabase.Quote(scope.Version);
        return scope.ExecuteAsync(
            $"CREATE TABLE IF NOT EXISTS {table} (account TEXT PRIMARY KEY, cents INTEGER NOT NULL); DELETE FROM {table}", cancellationToken);
    }

    // All events of a batch become one row per account. The transaction that writes the rows also stores the offset.
    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        var balances = batch.Fold<string, Balance>(
            account => new(account), (all, each) => all[each.PersistenceId].Cents += ((Deposited)each.Payload).Cents);
        return Table.WriteAsync(batch, batch.Version, balances, cancellationToken);
    }
}

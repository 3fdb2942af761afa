using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Keeps the open accounts with their balances.</summary>
/// <param name="name">The projection, and the view of the live version of the read model.</param>
/// <param name="sql">The SQL of the database.</param>
/// <param name="writer">Writes batches.</param>
internal sealed class AccountHandler(string name, AccountSql sql, IAccountWriter writer) : BatchHandler
{
    private long _handled;

    /// <summary>The number of events that were written, committed or not, for a progress bar.</summary>
    internal long Handled => Interlocked.Read(ref _handled);

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await writer.WriteAsync(batch, cancellationToken);
        Interlocked.Add(ref _handled, batch.Count);
    }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        scope.ExecuteAsync(sql.Prepare(scope.Version) + (scope.IsLive ? AccountSql.Show(name, scope.Version) : ""), cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) =>
        to.ExecuteAsync(AccountSql.Show(name, to.Version), cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        scope.ExecuteAsync(AccountSql.Drop(scope.Version), cancellationToken);
}

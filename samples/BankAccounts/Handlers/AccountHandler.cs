using System.Data.Common;
using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>Keeps the open accounts with their balances.</summary>
/// <param name="name">The projection; the view of the live target is called so.</param>
/// <param name="sql">How the database spells it.</param>
/// <param name="writer">How batches are written.</param>
internal sealed class AccountHandler(string name, AccountSql sql, IAccountWriter writer) : BatchHandler
{
    private long _handled;

    /// <summary>Events that were written, committed or not: for a bar that moves.</summary>
    internal long Handled => Interlocked.Read(ref _handled);

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await writer.WriteAsync(batch, cancellationToken);
        Interlocked.Add(ref _handled, batch.Count);
    }

    public override async Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        await RunAsync(scope, sql.Prepare(scope.Target), cancellationToken);
        if (scope.Target == name)
            await RunAsync(scope, sql.FirstShow(name, scope.Target), cancellationToken);
    }

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) =>
        RunAsync(to, AccountSql.Show(name, to.Target), cancellationToken);

    public override Task DropAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        RunAsync(scope, AccountSql.Drop(scope.Target), cancellationToken);

    private static async Task RunAsync(ReadModelScope scope, string text, CancellationToken cancellation)
    {
        await using DbCommand command = scope.Connection.CreateCommand();
        command.Transaction = scope.Transaction;
        command.CommandText = text;
        await command.ExecuteNonQueryAsync(cancellation);
    }
}

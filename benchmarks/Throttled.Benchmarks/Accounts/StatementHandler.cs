using BankAccounts.Domain;
using Throttled.Projections;

namespace BankAccounts.Handlers;

/// <summary>A statement for each event, as handlers are usually written.</summary>
internal sealed class StatementWriter(PoisonCheck poison) : IAccountWriter
{
    public async Task WriteAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        foreach (var each in batch)
        {
            poison.Pass(each);
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
            AccountOpened opened => batch.ExecuteAsync(AccountSql.Open(batch.Version), cancellation, id, ("owner", opened.Owner)),
            AccountClosed => batch.ExecuteAsync(AccountSql.Close(batch.Version), cancellation, id),
            AccountCredited credited => batch.ExecuteAsync(AccountSql.Move(batch.Version), cancellation, id, ("cents", credited.Cents)),
            var other => batch.ExecuteAsync(AccountSql.Move(batch.Version), cancellation, id, ("cents", -((AccountDebited)other).Cents)),
        };
    }
}

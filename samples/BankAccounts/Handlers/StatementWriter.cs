using System.Data.Common;
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
            await WriteAsync(batch, each, cancellation);
        }
    }

    private static async Task WriteAsync(ProjectionBatch batch, ProjectionEvent each, CancellationToken cancellation)
    {
        await using var command = batch.Connection.CreateCommand();
        command.Transaction = batch.Transaction;
        Add(command, "@id", each.PersistenceId);
        command.CommandText = Text(command, batch.Target, each.Payload);
        // An account that is not there, or not there once, would mean that events came out of their order.
        if (await command.ExecuteNonQueryAsync(cancellation) != 1)
            throw new EventFailedException(each.Ordering, new InvalidOperationException($"There is no {each.PersistenceId}."));
    }

    private static string Text(DbCommand command, string target, object change)
    {
        switch (change)
        {
            case AccountOpened opened:
                Add(command, "@owner", opened.Owner);
                return AccountSql.Open(target);
            case AccountClosed:
                return AccountSql.Close(target);
            default:
                Add(command, "@cents", change is AccountCredited credited ? credited.Cents : -((AccountDebited)change).Cents);
                return AccountSql.Move(target);
        }
    }

    private static void Add(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = (name, value);
        command.Parameters.Add(parameter);
    }
}

using System.Data.Common;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Writes a statement for each event, like most handlers. The projection must find out which event failed.</summary>
internal static class PlainBalances
{
    internal static async Task WriteAsync(ProjectionBatch batch, BankWork work, CancellationToken cancellation)
    {
        await using var command = batch.Connection.CreateCommand();
        command.Transaction = batch.Transaction;
        var table = BankTables.Of(batch.Version);
        var (insert, set) = ($"INSERT INTO {table} (account_id, balance, events, last) VALUES (@id, @cents, 1, @number)", $"balance = {table}.balance + @cents, events = {table}.events + 1, last = @number");
        // All events of an account are in one lane.
        command.CommandText = work.Place.IsSqlServer
            ? $"UPDATE {table} SET {set} WHERE account_id = @id; IF @@ROWCOUNT = 0 {insert}"
            : $"{insert} ON CONFLICT (account_id) DO UPDATE SET {set}";
        foreach (var each in batch)
        {
            command.Parameters.Clear();
            Add(command, "id", each.PersistenceId);
            Add(command, "cents", BankHandler.CentsOf(each.Payload, work));
            Add(command, "number", (int)each.SequenceNumber);
            await command.ExecuteNonQueryAsync(cancellation);
        }
    }

    private static void Add(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = (name, value);
        command.Parameters.Add(parameter);
    }
}

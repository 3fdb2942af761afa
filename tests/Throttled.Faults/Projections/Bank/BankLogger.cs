using System.Data.Common;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Writes each event into a log at once, in its own statement, with the run that handled it.</summary>
internal sealed class BankLogger(DbDataSource source, string run, Func<int, CancellationToken, Task> passed) : AtLeastOnceHandler
{
    private int _given;

    public override async Task HandleAsync(ProjectionEvent @event, string version, CancellationToken cancellationToken)
    {
        await using (var command = source.CreateCommand(
            $"INSERT INTO {BankTables.Log} (run, account_id, number) VALUES ('{run}', '{@event.PersistenceId}', {@event.SequenceNumber})"))
            await command.ExecuteNonQueryAsync(cancellationToken);
        await passed(Interlocked.Increment(ref _given), cancellationToken);
    }
}

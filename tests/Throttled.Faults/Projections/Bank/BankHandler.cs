using BankAccounts.Domain;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Keeps the balances of the accounts.</summary>
/// <param name="work">How the handler writes.</param>
/// <param name="passed">Called in each transaction after the writes, with the number of events that the handler got so far. The commit waits for it.</param>
internal sealed class BankHandler(BankWork work, Func<int, CancellationToken, Task> passed) : BatchHandler
{
    private int _given;

    public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        if (work.Writing == Writing.Merged)
            await MergedBalances.WriteAsync(batch, work, cancellationToken);
        else
            await PlainBalances.WriteAsync(batch, work, cancellationToken);
        await passed(Interlocked.Add(ref _given, batch.Count), cancellationToken);
    }

    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) =>
        BankTables.PrepareAsync(scope, work.Place, cancellationToken);

    public override Task SwapAsync(string from, ReadModelScope to, CancellationToken cancellationToken) => BankTables.SwapAsync(to, cancellationToken);

    /// <exception cref="InvalidOperationException">The event is poison, and the handler is not repaired.</exception>
    internal static long CentsOf(object change, BankWork work) => change switch
    {
        AccountCredited credit => work.Takes(credit) ? credit.Cents : throw new InvalidOperationException("This credit is poison."),
        AccountDebited debit => -debit.Cents,
        _ => 0,
    };
}

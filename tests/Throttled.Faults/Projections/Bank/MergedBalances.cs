using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>Writes a batch as one change for each account.</summary>
internal static class MergedBalances
{
    private static readonly MergeTable<Change> Accounts = new MergeTable<Change>()
        .Key("account_id", change => change.Id)
        .Add("balance", change => change.Cents)
        .Add("events", change => change.Events)
        .Set("last", change => change.Last);

    internal static Task WriteAsync(ProjectionBatch batch, BankWork work, CancellationToken cancellation)
    {
        var changes = batch.Fold(
            static (string id) => new Change(id), (all, each) => all[each.PersistenceId].Add(BankHandler.CentsOf(each.Payload, work), each.SequenceNumber));
        return Accounts.WriteAsync(batch, BankTables.Of(batch.Version), changes, cancellation);
    }

    private sealed class Change(string id)
    {
        internal string Id => id;

        internal long Cents { get; private set; }

        internal int Events { get; private set; }

        internal int Last { get; private set; }

        internal void Add(long cents, long number)
        {
            if (Last != 0 && number != Last + 1)
                throw new InvalidOperationException($"{id}: number {number} came after {Last}.");
            Cents += cents;
            Events++;
            Last = (int)number;
        }
    }
}

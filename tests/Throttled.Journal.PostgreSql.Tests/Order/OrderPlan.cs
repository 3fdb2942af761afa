namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>How much is done, and how long transactions are held.</summary>
/// <param name="TransactionsOfEachReader">Transactions that end before a reader is killed.</param>
/// <param name="LongestHold">How long a transaction is open at most.</param>
/// <param name="Kills">Readers that are killed.</param>
/// <param name="Restarts">Times that the server is killed or stopped, and started.</param>
internal sealed record OrderPlan(int TransactionsOfEachReader, TimeSpan LongestHold, int Kills, int Restarts)
{
    internal const int Writers = 44;

    internal const int Keepers = 4;
}

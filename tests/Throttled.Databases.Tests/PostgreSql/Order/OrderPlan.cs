namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>How much is done, and how long transactions are held.</summary>
/// <param name="LongLife">Transactions that end before a reader is killed that lives long.</param>
/// <param name="LongestHold">How long a transaction is open at most.</param>
/// <param name="Kills">Readers that are killed.</param>
/// <param name="Restarts">Times that the server is killed or stopped, and started.</param>
internal sealed record OrderPlan(int LongLife, TimeSpan LongestHold, int Kills, int Restarts)
{
    internal const int Writers = 44;

    internal const int Keepers = 4;

    /// <summary>
    /// Transactions until a reader is killed. Most live shortly: when they are killed, transactions are still open that were so when they
    /// began. Every fourth outlives those by far, so that it finds gaps of its own.
    /// </summary>
    internal int LifeOf(int reader, Random random) => reader % 4 == 0 ? LongLife : random.Next(LongLife / 6);

    /// <summary>Short beside most transactions.</summary>
    internal TimeSpan Interval(Random random) => TimeSpan.FromMilliseconds(2) + (random.NextDouble() * LongestHold / 40);
}

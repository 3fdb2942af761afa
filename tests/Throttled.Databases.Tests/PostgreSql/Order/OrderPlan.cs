namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>The amount of work, and how long transactions stay open.</summary>
/// <param name="LongLife">The number of transactions that end before a long-lived reader is killed.</param>
/// <param name="LongestHold">The longest time that a transaction stays open.</param>
/// <param name="Kills">The number of readers that are killed.</param>
/// <param name="Restarts">How often the server is killed or stopped, and started.</param>
internal sealed record OrderPlan(int LongLife, TimeSpan LongestHold, int Kills, int Restarts)
{
    internal const int Writers = 44;

    internal const int Keepers = 4;

    /// <summary>
    /// The number of transactions until a reader is killed. Most readers live shorter than the transactions that were open when they
    /// began. Every fourth reader lives much longer, so that it finds its own gaps.
    /// </summary>
    internal int LifeOf(int reader, Random random) => reader % 4 == 0 ? LongLife : random.Next(LongLife / 6);

    /// <summary>Short compared with most transactions.</summary>
    internal TimeSpan Interval(Random random) => TimeSpan.FromMilliseconds(2) + (random.NextDouble() * LongestHold / 40);
}

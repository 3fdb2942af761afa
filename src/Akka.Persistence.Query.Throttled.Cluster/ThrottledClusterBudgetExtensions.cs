using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;

namespace Akka.Persistence.Query.Throttled.Cluster;

/// <summary>One budget of statements for all nodes of a cluster, for Akka.Hosting.</summary>
public static class ThrottledClusterBudgetExtensions
{
    private const int Most = 1_000_000;
    private const string Resource = "Akka.Persistence.Query.Throttled.Cluster.reference.conf";

    private static readonly Config Reference = ConfigurationFactory.FromResource(Resource, typeof(ThrottledClusterBudgetExtensions).Assembly);

    /// <summary>
    /// Divides a budget of statements among the nodes of the cluster. All nodes must set the same budget. A node reads nothing before it is Up and knows
    /// its share. The limits of the journal itself apply to each node too; the lower limit counts. The actor system must be in a cluster, and this node
    /// must have the role; otherwise <c>IHost.StartAsync</c> throws <see cref="ConfigurationException"/>.
    /// </summary>
    /// <param name="journal">The builder of the read journal.</param>
    /// <param name="maxConcurrentQueries">
    /// Statements that may run on the database at once, over all nodes; 0 to 1,000,000, and 0 is no limit. Each node has at least 1 of them, and one
    /// more statement for its poll. If the journal is divided, each shard has this budget.
    /// </param>
    /// <param name="maxQueriesPerSecond">Statements that may start per second, over all nodes; 0 to 1,000,000, and 0, the default, is no limit.</param>
    /// <param name="role">The role of the nodes that share the budget; empty, the default, for all nodes of the cluster.</param>
    /// <exception cref="ArgumentOutOfRangeException">A limit is not from 0 to 1,000,000.</exception>
    /// <returns>The builder of the read journal.</returns>
    public static ThrottledReadJournalBuilder WithClusterBudget(
        this ThrottledReadJournalBuilder journal, int maxConcurrentQueries, int maxQueriesPerSecond = 0, string role = "")
    {
        ArgumentNullException.ThrowIfNull(journal);
        ArgumentNullException.ThrowIfNull(role);
        Check(maxConcurrentQueries, nameof(maxConcurrentQueries));
        Check(maxQueriesPerSecond, nameof(maxQueriesPerSecond));
        var settings = FormattableString.Invariant(
            $"{journal.PluginId}.cluster {{ role = {role.ToHocon()}, max-concurrent-queries = {maxConcurrentQueries}, max-queries-per-second = {maxQueriesPerSecond} }}");
        journal.Builder.AddHocon(settings, HoconAddMode.Prepend).AddHocon(Reference, HoconAddMode.Append);
        return journal;
    }

    private static void Check(int limit, string name)
    {
        if (limit is < 0 or > Most)
            throw new ArgumentOutOfRangeException(name, limit, FormattableString.Invariant($"{name} is {limit}; it must be from 0 to {Most}. Use 0 for no limit."));
    }
}

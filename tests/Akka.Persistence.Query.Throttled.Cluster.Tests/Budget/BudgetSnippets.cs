using Akka.Cluster.Hosting;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Budget;

/// <summary>Code of docs/cluster-budget.md.</summary>
internal static class BudgetSnippets
{
    internal static void Hosting(AkkaConfigurationBuilder akka) =>
        akka
            .WithClustering(new ClusterOptions { Roles = ["reader"] })
            .WithThrottledReadJournal(journalBuilder: journal => journal.WithClusterBudget(maxConcurrentQueries: 60, role: "reader"));
}

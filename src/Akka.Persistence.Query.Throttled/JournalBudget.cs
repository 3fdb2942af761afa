using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled;

/// <summary>Divides a budget of statements among the nodes of a cluster. The cluster package implements it; the plugin does not depend on it.</summary>
internal abstract class JournalBudget
{
    private const string Package = "Akka.Persistence.Query.Throttled.Cluster";

    /// <returns>The budget of a read journal; null if its settings set none.</returns>
    /// <exception cref="ConfigurationException">The package is missing, or the actor system cannot use the budget.</exception>
    internal static JournalBudget? Of(ActorSystem system, JournalSettings settings)
    {
        if (settings.Cluster is not { } cluster)
            return null;
        var type = Type.GetType($"{Package}.Budget.ClusterBudget, {Package}") ?? throw new ConfigurationException(
            $"{cluster.Named}, but the package {Package} is missing. Add it to the application, or set the budget to 0.");
        var budget = (JournalBudget)Activator.CreateInstance(type, nonPublic: true)!;
        budget.Check(system, cluster);
        return budget;
    }

    /// <summary>Starts to set the ceilings of a journal that is open. Until then they are 0.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="settings">The settings of the journal.</param>
    /// <param name="ceilings">One for each shard.</param>
    internal abstract void Start(ExtendedActorSystem system, JournalSettings settings, IReadOnlyList<PermitCeiling> ceilings);

    /// <exception cref="ConfigurationException">The actor system cannot use the budget.</exception>
    internal abstract void Check(ActorSystem system, BudgetSettings settings);
}

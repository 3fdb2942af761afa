using Akka.Actor;
using Akka.Cluster;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Cluster.Diagnostics;
using Akka.Persistence.Query.Throttled.Diagnostics;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal.Permits;

namespace Akka.Persistence.Query.Throttled.Cluster.Budget;

/// <summary>Starts the actor that divides a journal's budget, and releases this node's share before the node leaves. The plugin creates it by its name.</summary>
internal sealed class ClusterBudget : JournalBudget
{
    // For cancellations that the database does not acknowledge, and for nodes that notice late that they were downed.
    private static readonly TimeSpan Margin = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(500);

    internal override void Check(ActorSystem system, BudgetSettings settings)
    {
        if (((ExtendedActorSystem)system).Provider is not IClusterActorRefProvider)
            throw new ConfigurationException(
                $"{settings.Named}, but this actor system is in no cluster. Set 'akka.actor.provider' to cluster, or set the budget to 0.");
        var roles = global::Akka.Cluster.Cluster.Get(system).SelfRoles;
        if (settings.Role.Length > 0 && !roles.Contains(settings.Role))
            throw new ConfigurationException(
                $"'{settings.Path}.role' is \"{settings.Role}\", but this node has {(roles.Count == 0 ? "no role" : $"the roles {string.Join(", ", roles)}")}. "
                + "The other nodes would not count it. Add the role to 'akka.cluster.roles', or change the setting on all nodes.");
    }

    internal override void Start(ExtendedActorSystem system, JournalSettings settings, IReadOnlyList<PermitCeiling> ceilings)
    {
        Register(system);
        var grace = settings.Options.StatementTimeout + Margin;
        var log = new AkkaLoggerFactory(Logging.GetLogger(system, ClusterLog.Category)).CreateLogger(ClusterLog.Category);
        var actor = system.SystemActorOf(
            BudgetActor.Props(new(settings.PluginId, settings.Cluster!, ceilings, new(grace, Settling), settings.Options.TimeProvider, log)), BudgetActor.NameOf(settings.PluginId));
        // The last phase before the node leaves. Its own timeout ends the wait; then the others wait for the grace period.
        CoordinatedShutdown.Get(system).AddTask(
            CoordinatedShutdown.PhaseClusterShardingShutdownRegion, $"release the share of {settings.PluginId}", () => actor.Ask<Done>(ReleaseShare.Instance, grace));
    }

    // Akka.NET reads the serializers in HOCON only when the actor system starts, so this one may be missing. If it is there, nothing is changed: others
    // use the serialization at the same time.
    internal static void Register(ExtendedActorSystem system)
    {
        if (system.Serialization.FindSerializerForType(typeof(ShareRequest)) is BudgetSerializer)
            return;
        var serializer = new BudgetSerializer(system);
        system.Serialization.AddSerializer("throttled-budget", serializer);
        foreach (var message in (Type[])[typeof(ShareRequest), typeof(ShareAck), typeof(ShareReleased)])
            system.Serialization.AddSerializationMap(message, serializer);
    }
}

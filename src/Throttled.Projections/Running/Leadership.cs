using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>Who executes what: the owner of a version's first lane leads it. That lane moves least, and needs no lease of its own. Pure.</summary>
internal static class Leadership
{
    internal static bool Leads(string target, ProjectionSnapshot snapshot, string member) =>
        snapshot.Lanes.Any(lane => lane.Target == target && lane.Lane == 0 && lane.Owner == member);

    /// <summary>Whether a command is a process's to execute, or to refuse.</summary>
    internal static bool IsFor(CommandRow command, ProjectionSnapshot snapshot, string member)
    {
        var isRun = snapshot.Targets.Any(row => row.Target == command.Target && row.Role != TargetRole.Retired);
        return !(command.IsForLane && isRun) && Leads(LeaderOf(command, isRun, snapshot), snapshot, member);
    }

    // What nobody runs has no leader of its own.
    private static string LeaderOf(CommandRow command, bool isRun, ProjectionSnapshot snapshot) =>
        isRun && command.Verb is (CommandVerb.Reset or CommandVerb.Drop or CommandVerb.SetLanes)
            ? command.Target
            : snapshot.Targets.First(row => row.Role == TargetRole.Live).Target;
}

namespace Throttled.Projections.Running;

/// <summary>
/// The next step of a process towards its share of the lanes. Pure: each process plans for itself. If what it has read is out of date, a claim fails
/// or a lane moves once more. Lanes in <c>Claim</c> come in the order of preference.
/// </summary>
internal sealed record LaneAssignment(IReadOnlyList<int> Claim, IReadOnlyList<int> Release)
{
    internal static LaneAssignment For(IReadOnlyList<string?> owners, IReadOnlyCollection<string> processes, string me)
    {
        string[] alive = [.. processes.Append(me).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)];
        var excess = alive.ToDictionary(process => process, process => Of(owners, process).Count - Share(owners.Count, alive, process), StringComparer.Ordinal);
        return new(ToClaim(Of(owners, null), alive, excess, me), ToRelease(Of(owners, me), excess[me]));
    }

    // The first processes in ordinal order get one more if there is a remainder.
    private static int Share(int lanes, string[] alive, string process) =>
        (lanes / alive.Length) + (Array.IndexOf(alive, process) < lanes % alive.Length ? 1 : 0);

    private static List<int> Of(IReadOnlyList<string?> owners, string? owner) =>
        [.. owners.Index().Where(lane => lane.Item == owner).Select(lane => lane.Index)];

    // Processes that are earlier in the order take the first free lanes. So processes that start together do not claim the same lanes.
    private static List<int> ToClaim(List<int> free, string[] alive, Dictionary<string, int> excess, string me)
    {
        var before = alive.TakeWhile(process => process != me).Sum(process => Math.Max(0, -excess[process]));
        return [.. Enumerable.Range(before, Math.Min(Math.Max(0, -excess[me]), free.Count)).Select(i => free[i % free.Count])];
    }

    // Shares add up to the number of lanes. So if this process has more than its share, others have less, or lanes are free, or their owner has died.
    // The first lanes are kept, because the owner of the first lane leads.
    private static List<int> ToRelease(List<int> mine, int excess) => excess > 0 ? mine[^excess..] : [];
}

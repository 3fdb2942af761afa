namespace Throttled.Projections.Running;

/// <summary>
/// What a process does next, so that every one that is alive ends with its share of the lanes. Pure: each plans for itself, from what it saw.
/// A view that is old costs a claim that fails, or a lane that moves once more; that a lane has one owner is the database's to see to.
/// </summary>
/// <param name="Claim">Lanes to claim, the likeliest first.</param>
/// <param name="Release">Lanes to give back, because another has less than its share.</param>
internal sealed record LaneAssignment(IReadOnlyList<int> Claim, IReadOnlyList<int> Release)
{
    /// <param name="owners">By lane, the process that claims it; null where none does.</param>
    /// <param name="processes">The processes that are alive.</param>
    /// <param name="me">This one; it counts as alive in any case.</param>
    internal static LaneAssignment For(IReadOnlyList<string?> owners, IReadOnlyCollection<string> processes, string me)
    {
        string[] alive = [.. processes.Append(me).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)];
        var excess = alive.ToDictionary(process => process, process => Of(owners, process).Count - Share(owners.Count, alive, process), StringComparer.Ordinal);
        return new(ToClaim(Of(owners, null), alive, excess, me), ToRelease(Of(owners, me), excess[me]));
    }

    /// <summary>The lanes over the processes, in ordinal order; the first have one more where it does not come out even.</summary>
    private static int Share(int lanes, string[] alive, string process) =>
        (lanes / alive.Length) + (Array.IndexOf(alive, process) < lanes % alive.Length ? 1 : 0);

    private static List<int> Of(IReadOnlyList<string?> owners, string? owner) =>
        [.. owners.Index().Where(lane => lane.Item == owner).Select(lane => lane.Index)];

    // Who comes before in the order takes the first free ones: so those who start together do not go for the same lanes.
    private static List<int> ToClaim(List<int> free, string[] alive, Dictionary<string, int> excess, string me)
    {
        var before = alive.TakeWhile(process => process != me).Sum(process => Math.Max(0, -excess[process]));
        return [.. Enumerable.Range(before, Math.Min(Math.Max(0, -excess[me]), free.Count)).Select(i => free[i % free.Count])];
    }

    // Shares add up to the lanes. So what one has above its own, another lacks, or it is free, or its owner has died: then there is
    // nothing to give until somebody lacks more than that. The first lanes are kept: whoever has the first one leads.
    private static List<int> ToRelease(List<int> mine, int excess) => excess > 0 ? mine[^excess..] : [];
}

namespace Throttled.Projections;

/// <summary>Each process plans for itself. If what it has read is out of date, a claim fails or a lane moves once more.</summary>
internal sealed class EvenLanes : LaneOwnership
{
    // Processes that are earlier in the order take the first free lanes. So processes that start together do not claim the same lanes.
    public override IReadOnlyList<int> Claim(LaneOwners lanes)
    {
        var (alive, free) = (Alive(lanes), lanes.Free);
        var before = alive.TakeWhile(process => process != lanes.Process).Sum(process => Math.Max(0, -Excess(lanes, alive, process)));
        var wanted = Math.Max(0, -Excess(lanes, alive, lanes.Process));
        return [.. Enumerable.Range(before, Math.Min(wanted, free.Count)).Select(i => free[i % free.Count])];
    }

    // Shares add up to the number of lanes. So if this process has more than its share, others have less, or lanes are free, or their owner has died.
    // The first lanes are kept, because the owner of the first lane leads.
    public override IReadOnlyList<int> Release(LaneOwners lanes) =>
        Excess(lanes, Alive(lanes), lanes.Process) is > 0 and var excess ? [.. lanes.Mine.TakeLast(excess)] : [];

    private static string[] Alive(LaneOwners lanes) =>
        [.. lanes.Processes.Append(lanes.Process).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)];

    // The first processes in ordinal order get one more if there is a remainder.
    private static int Excess(LaneOwners lanes, string[] alive, string process)
    {
        var (share, rest) = Math.DivRem(lanes.Owners.Count, alive.Length);
        return lanes.Owners.Count(owner => owner == process) - share - (Array.IndexOf(alive, process) < rest ? 1 : 0);
    }
}

namespace Throttled.Projections.Reads;

/// <summary>
/// Which lanes are read for together. One read serves all that stand close to each other; one that is far behind is read for alone, so that the
/// others need not wait while it catches up. Pure.
/// </summary>
internal static class ReadPlan
{
    /// <summary>Orderings between the first and the last lane of a read at most: reading over them again takes about a second.</summary>
    internal const long Spread = 100_000;

    /// <param name="lanes">The lanes, and the ordering up to which each has been read for.</param>
    /// <returns>Groups of lanes, each in ascending order.</returns>
    internal static IReadOnlyList<IReadOnlyList<int>> Group(IEnumerable<(int Lane, long Through)> lanes)
    {
        var groups = new List<List<int>>();
        var first = 0L;
        foreach (var (lane, through) in lanes.OrderBy(each => each.Through).ThenBy(each => each.Lane))
        {
            if (groups.Count == 0 || through - first > Spread)
            {
                groups.Add([]);
                first = through;
            }
            groups[^1].Add(lane);
        }
        foreach (var group in groups)
            group.Sort();
        return groups;
    }
}

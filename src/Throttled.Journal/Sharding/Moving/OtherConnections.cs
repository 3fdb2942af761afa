namespace Throttled.Journal.Sharding.Moving;

/// <summary>Connections to an old database that are not the tool's. They may only read, so that they are warned of and not refused.</summary>
/// <param name="Application">What they call themselves.</param>
/// <param name="Count">How many they are.</param>
internal sealed record OtherConnections(string Application, long Count)
{
    /// <summary>A line for each database that has any.</summary>
    internal static async Task<IReadOnlyList<string>> WarningsAsync(
        IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardSnapshot> sources, CancellationToken cancellation)
    {
        List<string> lines = [];
        for (var i = 0; i < sources.Count; i++)
        {
            var others = await sources[i].ConnectedAsync(cancellation).ConfigureAwait(false);
            if (others.Count > 0)
                lines.Add(Warning(i, from[i].Name, others));
        }
        return lines;
    }

    private static string Warning(int shard, string name, IReadOnlyList<OtherConnections> others)
    {
        var applications = string.Join(", ", others.Select(each => FormattableString.Invariant($"{each.Application} ({each.Count})")));
        var count = others.Sum(each => each.Count);
        return FormattableString.Invariant($"warning: --from number {shard} ({name}) has {count} other connection{(count == 1 ? "" : "s")}: {applications}. ")
            + "Stop whatever writes to the journal: what it writes after the copy is in the old database alone.";
    }
}

namespace Throttled.Journal.Sharding.Moving;

/// <summary>The map that a journal was written with, as the marks beside its shards say.</summary>
internal static class OldMap
{
    /// <exception cref="ReshardException">A database is not the shard that it is given as.</exception>
    internal static async Task<ShardMap> ReadAsync(
        IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardSnapshot> sources, CancellationToken cancellation)
    {
        List<ShardStamp?> stamps = [];
        foreach (var source in sources)
            stamps.Add(await source.StampAsync(cancellation).ConfigureAwait(false));
        if (stamps is [null])
            return ShardMap.Even(1);
        var map = stamps[0] is { } first ? ShardMap.Parse(first.Map) : ShardMap.Even(sources.Count);
        for (var shard = 0; shard < stamps.Count; shard++)
            Check(shard, from[shard].Name, stamps[shard], map, sources.Count);
        return map;
    }

    private static void Check(int shard, string name, ShardStamp? stamp, ShardMap map, int count)
    {
        if (stamp is null)
            throw Refused(shard, name, "has no mark of a shard", "correct --from; write the mark with the command mark, or give a journal by itself alone");
        if (map.Count != count || stamp != new ShardStamp(shard, map.ToString()))
            throw Refused(shard, name, ShardPart.Marked(stamp),
                FormattableString.Invariant($"correct --from: give all shards of that journal, in their order; {count} were given"));
    }

    private static ReshardException Refused(int shard, string name, string found, string remedy) =>
        new(FormattableString.Invariant($"--from number {shard} ({name}) {found}; {remedy}."));
}

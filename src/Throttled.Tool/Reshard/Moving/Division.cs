using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>How the shards of one map become those of another. Each new shard is a part of one old shard, so orderings do not change.</summary>
internal sealed class Division
{
    private readonly int[] _from;

    /// <exception cref="ReshardException">A new shard has slices of several old shards.</exception>
    internal Division(ShardMap from, ShardMap to)
    {
        (From, To) = (from, to);
        _from = [.. Enumerable.Range(0, to.Count).Select(FromOf)];
    }

    internal ShardMap From { get; }

    internal ShardMap To { get; }

    /// <summary>The new shards that have the slices of an old shard.</summary>
    internal IEnumerable<int> PartsOf(int from) => Enumerable.Range(0, To.Count).Where(shard => _from[shard] == from);

    private int FromOf(int shard)
    {
        var from = From.ShardOf(To[shard].First);
        return From[from].Contains(To[shard].Last) ? from : throw new ReshardException(
            $"The new shard {To[shard]} would have slices of several of the old shards \"{From}\". Each old shard numbers its own events, so their "
            + "orderings would collide in one table. Give slices so that each range lies within one old shard.");
    }
}

/// <summary>The map that a journal was written with, from the marks beside its shards.</summary>
internal static class OldMap
{
    /// <exception cref="ReshardException">A database is not the shard as which it is given.</exception>
    internal static async Task<ShardMap> ReadAsync(
        IReadOnlyList<IShardDatabase> from, IReadOnlyList<IShardSnapshot> sources, CancellationToken cancellation)
    {
        List<ShardMark?> marks = [];
        foreach (var source in sources)
            marks.Add(await source.ReadMarkAsync(cancellation));
        if (marks is [null])
            return ShardMap.Even(1);
        var map = marks[0] is { } first ? ShardMap.Parse(first.Map) : ShardMap.Even(sources.Count);
        for (var shard = 0; shard < marks.Count; shard++)
            Check(shard, from[shard].Name, marks[shard], map, sources.Count);
        return map;
    }

    private static void Check(int shard, string name, ShardMark? mark, ShardMap map, int count)
    {
        if (mark is null)
            throw Refused(shard, name, "has no mark of a shard", "correct --from; write the mark with the command mark, or give a journal without shards as the only database");
        if (map.Count != count || mark != new ShardMark(shard, map.ToString()))
            throw Refused(shard, name, ShardPart.Marked(mark),
                FormattableString.Invariant($"correct --from: give all shards of that journal, in their order; {count} were given"));
    }

    private static ReshardException Refused(int shard, string name, string found, string remedy) =>
        new(FormattableString.Invariant($"--from number {shard} ({name}) {found}; {remedy}."));
}

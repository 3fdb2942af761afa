namespace Throttled.Journal.Sharding.Moving;

/// <summary>How the shards of one map become those of another: each new one is a part of an old one, so that orderings can be kept.</summary>
internal sealed class Division
{
    private readonly int[] _from;

    /// <exception cref="ReshardException">A new shard has slices of several old ones.</exception>
    internal Division(ShardMap from, ShardMap to)
    {
        (From, To) = (from, to);
        _from = [.. Enumerable.Range(0, to.Count).Select(FromOf)];
    }

    internal ShardMap From { get; }

    internal ShardMap To { get; }

    /// <summary>The new shards that have the slices of an old one.</summary>
    internal IEnumerable<int> PartsOf(int from) => Enumerable.Range(0, To.Count).Where(shard => _from[shard] == from);

    private int FromOf(int shard)
    {
        var from = From.ShardOf(To[shard].First);
        return From[from].Contains(To[shard].Last) ? from : throw new ReshardException(
            $"The new shard {To[shard]} would have slices of several of the old shards \"{From}\". Each of these numbers its own events, and their "
            + "orderings must not meet in one table: give slices of which each range lies within one of the old.");
    }
}

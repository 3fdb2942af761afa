namespace Throttled.Projections.Tests.Offsets;

/// <summary>Random maps of 2 to 8 shards: even or uneven, in any order.</summary>
internal static class RandomMap
{
    internal static ShardMap Draw(Random random) => random.Next(3) == 0 ? ShardMap.Even(random.Next(2, 9)) : Of(random, Cuts(random, random.Next(1, 8)));

    /// <summary>One of which each shard is a part of a shard.</summary>
    internal static ShardMap Split(Random random, ShardMap map) =>
        Of(random, Cuts(random, random.Next(1, 5)).Union(Enumerable.Range(0, map.Count).Select(shard => map[shard].First)));

    private static IEnumerable<int> Cuts(Random random, int count) => Enumerable.Range(0, count).Select(_ => random.Next(1, JournalSlices.Count));

    private static ShardMap Of(Random random, IEnumerable<int> cuts)
    {
        int[] starts = [.. cuts.Append(0).Distinct().Order(), JournalSlices.Count];
        string[] ranges = [.. starts.Zip(starts.Skip(1), (first, next) => FormattableString.Invariant($"{first}-{next - 1}"))];
        random.Shuffle(ranges);
        return ShardMap.Parse(string.Join(',', ranges));
    }
}

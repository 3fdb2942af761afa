using Throttled.Projections.Offsets;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Offsets;

public sealed class ShardOffsetsTests
{
    [Fact]
    public void Offsets_are_carried_unchanged_to_parts_of_their_shards() => Seeds.ForEach(300, seed => new Random(seed), random =>
    {
        var map = random.Next(3) == 0 ? ShardMap.Even(1) : RandomMap.Draw(random);
        var rows = Rows(random, new(random.Next(1, 17), map), random.Next(1, 60));
        var parts = RandomMap.Split(random, map);
        Assert.Null(ShardOffsets.Unmergeable(rows, map, parts));
        var cut = LaneSlices.Cut(rows, new LaneLayout(random.Next(1, 17), parts).Of(SliceRange.All));
        Assert.Equal(BySlice(rows), BySlice(cut));
        Assert.All(cut, row => Assert.Equal(parts.ShardOf(row.Slices.First), parts.ShardOf(row.Slices.Last)));
    });

    [Fact]
    public void Offsets_of_several_shards_are_carried_to_one_only_if_they_are_equal() => Seeds.ForEach(300, seed => new Random(seed), random =>
    {
        var (from, to) = (RandomMap.Draw(random), random.Next(4) == 0 ? ShardMap.Even(1) : RandomMap.Draw(random));
        var rows = Rows(random, new(random.Next(1, 17), from), random.Next(1, 4));
        var bySlice = BySlice(rows);
        var mixes = Enumerable.Range(0, to.Count).Select(shard => to[shard])
            .Select(shard => (Range: shard, Slices: Enumerable.Range(shard.First, shard.Count).ToList()))
            .Where(shard => shard.Slices.Select(from.ShardOf).Distinct().Count() > 1 && shard.Slices.Select(slice => bySlice[slice]).Distinct().Count() > 1);
        Assert.Equal(mixes.Select(shard => (SliceRange?)shard.Range).FirstOrDefault(), ShardOffsets.Unmergeable(rows, from, to));
    });

    [Fact]
    public void The_lowest_offset_of_each_shard_makes_a_sharded_position()
    {
        SliceOffset[] rows = [new(new(0, 127), 7, 0), new(new(128, 255), 5, 0), new(new(256, 511), 900, 0)];
        Assert.Equal("0-255:5,256-511:900,512-767:0,768-1023:0", ShardOffsets.Text(rows, ShardMap.Even(4)));
        Assert.Equal(900, ShardedPosition.Parse(ShardOffsets.Text(rows, ShardMap.Even(4)))[1]);
        Assert.Equal("5", ShardOffsets.Text(rows, ShardMap.Even(1)));
    }

    private static SliceOffset[] Rows(Random random, LaneLayout layout, int below) =>
        [.. layout.Of(SliceRange.All).Select(lane => new SliceOffset(lane, random.Next(below), 0))];

    private static List<long> BySlice(IEnumerable<SliceOffset> rows) => [.. rows.SelectMany(row => Enumerable.Repeat(row.Ordering, row.Slices.Count))];
}

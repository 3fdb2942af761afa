using Throttled.Projections.Offsets;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Offsets;

public sealed class LaneLayoutTests
{
    [Fact]
    public void Lanes_over_shards_have_every_slice_once_and_each_has_slices_of_one_shard() => Seeds.ForEach(500, seed => new Random(seed), random =>
    {
        var (slices, map) = (SliceOffsets.SomeSlices(random), RandomMap.Draw(random));
        var layout = new LaneLayout(random.Next(1, Math.Min(slices.Count, 16) + 1), map);
        var (shards, lanes) = (layout.ShardsOf(slices), layout.Of(slices));
        Assert.Equal(Enumerable.Range(slices.First, slices.Count), lanes.SelectMany(lane => Enumerable.Range(lane.First, lane.Count)));
        Assert.All(lanes, lane => Assert.Equal(map.ShardOf(lane.First), map.ShardOf(lane.Last)));
        Assert.Equal(Math.Max(layout.Lanes, shards.Count), lanes.Count);
    });

    [Fact]
    public void No_lane_would_reduce_the_width_more_in_another_shard() => Seeds.ForEach(500, seed => new Random(seed), random =>
    {
        var (slices, map) = (SliceOffsets.SomeSlices(random), RandomMap.Draw(random));
        var layout = new LaneLayout(random.Next(1, Math.Min(slices.Count, 16) + 1), map);
        var shares = layout.ShardsOf(slices).Select(shard => (shard.Count, Lanes: Of(layout.Of(slices), shard))).ToList();
        foreach (var (count, lanes) in shares)
        {
            Assert.InRange(lanes.Max(lane => lane.Count) - lanes.Min(lane => lane.Count), 0, 1);
            // With one lane less, this shard's lanes would be at least as wide as those of any other shard.
            Assert.All(shares, other => Assert.True(lanes.Count == 1 || count * other.Lanes.Count >= other.Count * (lanes.Count - 1)));
        }
    });

    [Theory]
    [InlineData("0-255,256-511,512-767,768-1023", 8, "0-127,128-255,256-383,384-511,512-639,640-767,768-895,896-1023")]
    [InlineData("0-255,256-511,512-767,768-1023", 2, "0-255,256-511,512-767,768-1023")]
    [InlineData("512-1023,0-511", 3, "0-255,256-511,512-1023")]
    [InlineData("0-99,100-1023", 4, "0-99,100-407,408-715,716-1023")]
    public void Each_shard_has_a_lane_and_more_lanes_go_to_the_shards_with_the_widest_lanes(string map, int lanes, string divided) =>
        Assert.Equal(divided, string.Join(',', new LaneLayout(lanes, ShardMap.Parse(map)).Of(SliceRange.All)));

    [Fact]
    public void Shards_without_a_slice_of_the_source_have_no_lane() =>
        Assert.Equal([new(300, 511), new(512, 520)], new LaneLayout(1, ShardMap.Even(4)).Of(new(300, 520)));

    private static List<SliceRange> Of(IReadOnlyList<SliceRange> lanes, SliceRange shard) => [.. lanes.Where(lane => shard.Contains(lane.First))];
}

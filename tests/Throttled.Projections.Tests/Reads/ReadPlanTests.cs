using Throttled.Testing.Scripted;
using Throttled.Projections.Reads;

namespace Throttled.Projections.Tests.Reads;

public sealed class ReadPlanTests
{
    [Fact]
    public void Every_lane_is_in_one_read_of_close_lanes_and_neighbouring_reads_cannot_be_merged() =>
        Seeds.ForEach(500, seed => new Random(seed), random =>
        {
            var lanes = Enumerable.Range(0, random.Next(0, 20)).ToDictionary(lane => lane, _ => random.NextInt64(0, random.Next(1, 6) * ReadPlan.Spread));
            var groups = ReadPlan.Group(lanes.Select(lane => (lane.Key, lane.Value)));
            Assert.Equal(lanes.Keys.Order(), groups.SelectMany(group => group).Order());
            Assert.All(groups, group => Assert.Equal(group.Order(), group));
            Assert.All(groups, group => Assert.InRange(group.Max(lane => lanes[lane]) - group.Min(lane => lanes[lane]), 0, ReadPlan.Spread));
            foreach (var (before, after) in groups.Zip(groups.Skip(1)))
                Assert.True(after.Min(lane => lanes[lane]) - before.Min(lane => lanes[lane]) > ReadPlan.Spread);
        });

    [Fact]
    public void A_lane_far_behind_has_a_read_of_its_own()
    {
        var groups = ReadPlan.Group([(0, 5_000_000), (1, 0), (2, 5_000_000 + ReadPlan.Spread)]);
        Assert.Equal([[1], [0, 2]], groups);
    }
}

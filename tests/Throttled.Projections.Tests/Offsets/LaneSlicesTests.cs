using Throttled.Projections.Offsets;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Offsets;

public sealed class LaneSlicesTests
{
    [Fact]
    public void Lanes_have_every_slice_once_and_differ_by_at_most_one_slice() => Seeds.ForEach(300, seed => new Random(seed), random =>
    {
        var slices = SliceOffsets.SomeSlices(random);
        var lanes = LaneSlices.Divide(slices, random.Next(1, slices.Count + 1));
        Assert.Equal(Enumerable.Range(slices.First, slices.Count), lanes.SelectMany(lane => Enumerable.Range(lane.First, lane.Count)));
        Assert.InRange(lanes.Max(lane => lane.Count) - lanes.Min(lane => lane.Count), 0, 1);
    });

    [Theory]
    [InlineData(1)]
    [InlineData(1024)]
    public void All_slices_can_be_one_lane_or_a_lane_each(int lanes) =>
        Assert.Equal(lanes, LaneSlices.Divide(SliceRange.All, lanes).Count);

    [Fact]
    public void Offsets_change_only_by_moves_with_any_number_of_lanes() => RunAll(20);

    [Fact, Trait("Category", "Long")]
    public void Offsets_change_only_by_moves_with_any_number_of_lanes_in_many_runs() => RunAll(300);

    [Fact]
    public void Equal_neighbours_become_one_row()
    {
        var merged = LaneSlices.Merge([new(new(0, 1), 5, 50), new(new(2, 2), 5, 51), new(new(3, 9), 6, 60)]);
        Assert.Equal([new(new(0, 2), 5, 50), new(new(3, 9), 6, 60)], merged);
    }

    [Fact]
    public void A_move_to_the_same_ordering_only_checks()
    {
        var offsets = new LaneOffsets([new(new(0, JournalSlices.Count - 1), 5, 50)]);
    }

    private static void RunAll(int seeds) => Seeds.ForEach(seeds, seed => new Random(seed), random => new SliceOffsets(random).Run());
}

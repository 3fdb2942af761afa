using Throttled.Projections.Diagnostics;
using Throttled.Projections.Reads;
using Throttled.Projections.Running;
using Throttled.Projections.Tests.Lanes;

namespace Throttled.Projections.Tests.Running;

public sealed class JournalProgressTests
{
    [Fact]
    public void Offsets_and_journal_ends_are_added_over_the_shards_of_the_lanes_that_run_here()
    {
        var progress = Progress(ShardMap.Even(2));
        // Lanes 0 and 1 are of the first shard, 2 and 3 of the second.
        Assert.Equal((70 + 900, 100 + 1_000), Of(progress, (0, 90), (1, 70), (2, 900)));
        Assert.Equal((900, 1_000), Of(progress, (3, 900)));
        Assert.Equal((0, 1_100), Of(progress));
    }

    [Fact]
    public void Of_a_journal_that_is_not_sharded_the_lane_furthest_behind_counts() => Assert.Equal((70, 100), Of(Progress(ShardMap.Even(1)), (0, 90), (3, 70)));

    [Fact]
    public void The_journal_end_is_at_least_the_highest_offset_of_a_lane()
    {
        Assert.Equal((90, 130), Of(Progress(ShardMap.Even(1)), (0, 130), (3, 90)));
        Assert.Equal((130 + 900, 130 + 1_000), Of(Progress(ShardMap.Even(2)), (0, 130), (2, 900)));
    }

    private static (long Offset, long JournalEnd) Of(JournalProgress progress, params (int Lane, long At)[] lanes)
    {
        LaneReport[] reports = [.. lanes.Select(lane => new LaneReport(lane.Lane, LaneState.Running, null, 0) { Offset = lane.At, Slices = new(lane.Lane * 256, (lane.Lane * 256) + 255) })];
        return (progress.OffsetOf(reports), progress.JournalEndOf(reports, shard => shard == 0 ? 100 : 1_000));
    }

    private static JournalProgress Progress(ShardMap map)
    {
        ProjectionOptions options = new() { Name = "p", Lanes = 4 };
        return new(new()
        {
            Store = null!,
            Handler = new HookedHandler(),
            Options = options,
            Availability = ProjectionAvailability.Of(options, "'app'", new Throttled.Testing.Scripted.RecordedLog()),
            ProcessName = "a",
            CreateWorker = _ => throw new NotSupportedException(),
            Map = map,
            Shards = [.. Enumerable.Range(0, map.Count).Select(number => Make.Shard(_ => throw new NotSupportedException()) with
            {
                Slices = map[number],
                End = _ => throw new NotSupportedException(),
                FirstAfter = (_, _) => throw new NotSupportedException(),
            })],
        });
    }
}

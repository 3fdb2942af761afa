using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>
/// How far the lanes of a process have come in the shards of theirs, and where these end. Orderings of several shards are added up: what is between the
/// sums is what is between the ends and the offsets, whichever shard it is in.
/// </summary>
internal sealed class JournalProgress(ProjectionParts parts)
{
    /// <param name="lanes">How the lanes do.</param>
    /// <returns>The offset of the lane that is furthest behind; 0 where there is none.</returns>
    internal long PositionOf(IReadOnlyList<LaneReport> lanes) =>
        parts.Shards.Sum(shard => Of(shard, lanes).Select(lane => lane.Position).DefaultIfEmpty().Min());

    /// <summary>The end of the journal; no less than what a lane has handled, which may have come after the last poll.</summary>
    /// <param name="lanes">How the lanes do.</param>
    /// <param name="head">The end of a shard as it was seen last, by its place among those that are read.</param>
    internal long HeadOf(IReadOnlyList<LaneReport> lanes, Func<int, long> head) => parts.Shards.Index()
        .Where(shard => lanes.Count == 0 || Of(shard.Item, lanes).Any())
        .Sum(shard => Of(shard.Item, lanes).Select(lane => lane.Position).Append(head(shard.Index)).Max());

    /// <param name="lanes">How the lanes do.</param>
    /// <param name="row">The version, which has the ends as they were seen last.</param>
    internal long HeadOf(IReadOnlyList<LaneReport> lanes, TargetRow row) => HeadOf(lanes, shard => row.HeadOf(parts.Shards[shard].Number));

    private IEnumerable<LaneReport> Of(JournalShard shard, IReadOnlyList<LaneReport> lanes) =>
        lanes.Where(lane => parts.Shards.Count == 1 || shard.Slices.Contains(lane.Slices.First));
}

using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>One version as it was just read.</summary>
/// <param name="Row">Its row.</param>
/// <param name="Lanes">Its lanes, by number.</param>
/// <param name="Members">The processes that are alive.</param>
internal sealed record TargetView(TargetRow Row, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Members)
{
    /// <summary>By lane, who claims it.</summary>
    internal IReadOnlyList<string?> Owners { get; } = [.. Lanes.Select(lane => lane.Owner)];

    internal static TargetView Of(ProjectionSnapshot snapshot, TargetRow row) =>
        new(row, [.. snapshot.Lanes.Where(lane => lane.Target == row.Target).OrderBy(lane => lane.Lane)], snapshot.Members);
}

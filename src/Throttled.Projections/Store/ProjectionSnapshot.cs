namespace Throttled.Projections.Store;

/// <summary>A projection as its tables have it, read in one transaction.</summary>
/// <param name="Targets">Its read models.</param>
/// <param name="Lanes">Their lanes.</param>
/// <param name="Members">The processes that are alive, in ordinal order.</param>
/// <param name="Commands">The oldest commands that wait, in order.</param>
internal sealed record ProjectionSnapshot(
    IReadOnlyList<TargetRow> Targets, IReadOnlyList<LaneRow> Lanes, IReadOnlyList<string> Members, IReadOnlyList<CommandRow> Commands);

using Throttled.Journal;

namespace Throttled.Projections.Positions;

/// <summary>Where a version goes on.</summary>
/// <param name="Rows">A row for each shard that it reads, over all its slices; 0 for the start.</param>
/// <param name="Map">The shards whose orderings they are; null where the journal is not sharded.</param>
internal sealed record ResetPlace(IReadOnlyList<StoredPosition> Rows, ShardMap? Map = null)
{
    internal bool IsStart => Rows.All(row => row.Ordering == 0);

    public override string ToString() => ShardPositions.Text(Rows, Map);
}

using Throttled.Journal.Sql;

namespace Throttled.Journal.Sharding.Moving;

/// <summary>Gives each row of a table to the shard that its slice is in.</summary>
/// <param name="table">The table.</param>
/// <param name="slices">Those that the database has whose rows come.</param>
/// <param name="to">Which shard has which slices.</param>
/// <param name="digests">Those of the shards that have any of these slices, by shard.</param>
/// <param name="progress">Called with each row.</param>
internal sealed class RowRouter(
    MovedTable table, SliceRange slices, ShardMap to, IReadOnlyDictionary<int, RowDigest> digests, RowProgress progress) : IRowSink
{
    public ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        if (!slices.Contains(slice))
            throw new ReshardException(FormattableString.Invariant(
                $"The table {table.Name} of the shard of the slices {slices} has a row of slice {slice}. Find out who wrote it, and put it where it belongs."));
        progress.Count();
        return digests[to.ShardOf(slice)].AddAsync(row, cancellation);
    }
}

using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>Marks a database that was not written as a shard, but has only events of one shard.</summary>
internal static class ShardMarking
{
    /// <returns>How many rows were checked.</returns>
    /// <exception cref="ReshardException">
    /// The database has events of other slices or another mark, or was written to meanwhile.
    /// </exception>
    internal static async Task<long> MarkAsync(MovedTables tables, IShardDatabase database, ShardIdentity identity, CancellationToken cancellation)
    {
        await using var target = await database.BeginAsync(cancellation);
        if (await target.ReadMarkAsync(cancellation) is { } mark && mark != new ShardMark(identity.Shard, identity.Map.ToString()))
            throw new ReshardException($"--on ({database.Name}) {ShardPart.Marked(mark)}, and is given as {identity}. Correct --shard, --shards or --slices, or --on.");
        await using var snapshot = await database.SnapshotAsync(cancellation);
        var rows = 0L;
        foreach (var table in tables.All)
            rows += await CheckAsync(snapshot, table, identity, cancellation);
        if (await snapshot.ChangeAsync(cancellation) is { } change)
            throw new ReshardException($"The journal was written to meanwhile: {change}. Stop whatever writes to it, and start again; nothing was written.");
        await target.MarkAsync(identity, cancellation);
        await target.CommitAsync(cancellation);
        return rows;
    }

    private static async Task<long> CheckAsync(IShardSnapshot snapshot, MovedTable table, ShardIdentity identity, CancellationToken cancellation)
    {
        var shape = await snapshot.ShapeAsync(table, cancellation);
        if (shape is null || table.KeyColumns.Any(column => !shape.Has(column)))
            return table.Remedy is null ? 0 : throw new ReshardException($"The table {table.Name} is not there, or has other columns. {table.Remedy}.");
        using var check = new RowCheck(identity.Slices);
        await snapshot.ScanAsync(shape, check, cancellation);
        var sum = await check.CompleteAsync(cancellation);
        return check.Strays == 0 ? sum.Rows : throw new ReshardException(FormattableString.Invariant(
            $"The table {table.Name} has {check.Strays} rows of slices that {identity} does not have. ") +
            "Correct the slices or the number of the shard, or copy the journal.");
    }
}

namespace Throttled.Journal.Sharding.Moving;

/// <summary>A database within the transaction that makes it a shard; rolled back where it is not committed.</summary>
internal interface IShardTarget : IShardRows
{
    /// <summary>Creates a table, or makes sure that the one that is there can take the rows.</summary>
    /// <exception cref="ReshardException">It cannot.</exception>
    Task CreateAsync(TableShape shape, CancellationToken cancellation);

    /// <summary>Writes the mark.</summary>
    /// <exception cref="ShardStampException">There is another.</exception>
    Task MarkAsync(ShardPlace place, CancellationToken cancellation);

    /// <summary>Begins to write to a table. One at a time.</summary>
    Task<IRowWriter> WriteAsync(TableShape shape, CancellationToken cancellation);

    /// <summary>Makes constraints and indexes, and the next ordering one above another journal's last.</summary>
    Task CompleteAsync(IReadOnlyList<TableShape> shapes, long lastGivenOut, CancellationToken cancellation);

    Task CommitAsync(CancellationToken cancellation);
}

namespace Throttled.Journal.Sharding.Moving;

/// <summary>The rows of tables, as one connection sees them.</summary>
internal interface IShardRows : IAsyncDisposable
{
    /// <summary>The mark beside the journal; null for none.</summary>
    Task<ShardStamp?> StampAsync(CancellationToken cancellation);

    /// <summary>How many rows a table has; none where it is not there.</summary>
    Task<long> CountAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>The highest ordering that the journal ever issued; 0 for none.</summary>
    Task<long> LastGivenOutAsync(CancellationToken cancellation);

    /// <summary>Gives all rows of a table to a sink, in the order of its keys.</summary>
    /// <exception cref="ReshardException">A row has no persistence id.</exception>
    Task ScanAsync(TableShape shape, IRowSink rows, CancellationToken cancellation);
}

namespace Throttled.Journal.Sharding.Moving;

/// <summary>A database at one moment. It is only read.</summary>
internal interface IShardSnapshot : IShardRows
{
    /// <summary>What a table is like; null where it is not there.</summary>
    /// <exception cref="ReshardException">It is no table.</exception>
    Task<TableShape?> ShapeAsync(MovedTable table, CancellationToken cancellation);

    /// <summary>Who else is connected to the database, where it can say so.</summary>
    Task<IReadOnlyList<OtherConnections>> ConnectedAsync(CancellationToken cancellation);

    /// <summary>Ends the moment, and checks whether anybody has written to the journal since.</summary>
    /// <returns>What was seen of it; null for nothing.</returns>
    Task<string?> ChangeAsync(CancellationToken cancellation);
}

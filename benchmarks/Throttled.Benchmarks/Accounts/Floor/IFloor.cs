namespace Throttled.Benchmarks.Accounts.Floor;

/// <summary>What the floor of a replay does.</summary>
/// <param name="Batch">The number of events that are read, folded and written at a time.</param>
internal sealed record FloorPlan(JournalTables Tables, string Version, int Batch)
{
    internal string Select(string after) =>
        $"SELECT {Tables.OrderingColumn}, {Tables.PersistenceIdColumn}, {Tables.ManifestColumn}, {Tables.PayloadColumn} "
        + $"FROM {Tables.JournalTable} WHERE {Tables.OrderingColumn} > {after} ORDER BY {Tables.OrderingColumn} LIMIT {Batch}";
}

/// <summary>
/// Writes the same read model by the bare driver. A batch is read in journal order, folded to one row for each account, and
/// merged in one transaction. There are no offsets, no lanes, no handling of failures, and no concurrency.
/// </summary>
internal interface IFloor
{
    Task<long> RunAsync(CancellationToken cancellation);
}

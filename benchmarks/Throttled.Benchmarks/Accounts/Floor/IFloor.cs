using Throttled.Journal;

namespace Throttled.Benchmarks.Accounts.Floor;

/// <param name="Tables">The journal.</param>
/// <param name="Version">The name of the read model that is made.</param>
/// <param name="Batch">Events that are read, folded and written at a time.</param>
internal sealed record FloorPlan(JournalTables Tables, string Version, int Batch)
{
    internal string Select(string after) =>
        $"SELECT {Tables.OrderingColumn}, {Tables.PersistenceIdColumn}, {Tables.ManifestColumn}, {Tables.PayloadColumn} "
        + $"FROM {Tables.JournalTable} WHERE {Tables.OrderingColumn} > {after} ORDER BY {Tables.OrderingColumn} LIMIT {Batch}";
}

/// <summary>
/// The same read model by the bare driver: a batch is read in the order of the journal, folded to a row for each account, and merged, in a
/// transaction. No positions, no lanes, no failures, and nothing at once.
/// </summary>
internal interface IFloor
{
    /// <returns>The events that were read.</returns>
    Task<long> RunAsync(CancellationToken cancellation);
}

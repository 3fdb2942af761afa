namespace Throttled.Benchmarks.Replay;

/// <summary>
/// The floor of a replay: one statement over the whole journal in its order, with the bare driver. It reads every column that
/// the engine reads, into one object per row.
/// </summary>
internal interface IScan
{
    /// <returns>The number of rows.</returns>
    Task<long> ReadAllAsync();
}

internal sealed record ScanRow(
    long Ordering, bool IsDeleted, string PersistenceId, long SequenceNumber, long Timestamp, byte[] Payload, int? SerializerId, string Manifest);

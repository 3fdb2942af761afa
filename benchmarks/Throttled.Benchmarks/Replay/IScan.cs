namespace Throttled.Benchmarks.Replay;

/// <summary>
/// The floor of a replay: one statement over the whole journal in its order, by the bare driver. Every column that the engine reads is
/// read, into an object a row.
/// </summary>
internal interface IScan
{
    /// <returns>The rows read.</returns>
    Task<long> ReadAllAsync();
}

/// <summary>One row.</summary>
internal sealed record ScanRow(
    long Ordering, bool IsDeleted, string PersistenceId, long SequenceNumber, long Timestamp, byte[] Payload, int? SerializerId, string Manifest);

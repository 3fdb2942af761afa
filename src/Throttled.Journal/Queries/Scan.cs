namespace Throttled.Journal.Queries;

/// <summary>How far a query in journal order has scanned, even if it found no events.</summary>
/// <param name="UpTo">The reader has received every event of the query up to this ordering.</param>
/// <param name="IsFollowing">Whether the query follows the end of the journal; if not, it catches up.</param>
internal readonly record struct Scan(long UpTo, bool IsFollowing);

/// <summary>A feed that reports how far it has scanned.</summary>
internal interface IScanningFeed
{
    /// <summary>Sets the result of <see cref="IScanning.ScannedAsync"/>.</summary>
    void ReportScanned(TaskCompletionSource<Scan?> answer);
}

/// <summary>A run of a query that reports how far it has scanned.</summary>
internal interface IScanning
{
    /// <summary>Call this while the reader waits for the next event. If the query ends, the task may never complete.</summary>
    /// <returns>Null if an event is on its way to the reader, or if the query does not report it.</returns>
    Task<Scan?> ScannedAsync();
}

namespace Throttled.Journal.Queries;

/// <summary>How far a query in the order of the journal has scanned, whether there were events for it or not.</summary>
/// <param name="UpTo">Its reader was given every event of the query up to here.</param>
/// <param name="IsLevel">Whether the query follows the end of the journal; otherwise it catches up.</param>
internal readonly record struct Scan(long UpTo, bool IsLevel);

/// <summary>A feed that reports how far it has scanned.</summary>
internal interface IScanningFeed
{
    /// <summary>Answers as <see cref="IScanning.ScannedAsync"/> does.</summary>
    void ReportScanned(TaskCompletionSource<Scan?> answer);
}

/// <summary>A run of a query that reports how far it has scanned.</summary>
internal interface IScanning
{
    /// <summary>Asks while the reader waits for the next event. May never be answered where the query ends meanwhile.</summary>
    /// <returns>Null where an event is on its way to the reader, or the query cannot say.</returns>
    Task<Scan?> ScannedAsync();
}

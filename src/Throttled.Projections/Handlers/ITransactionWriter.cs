namespace Throttled.Projections.Handlers;

/// <summary>
/// A library's own way to write in a transaction, such as a context with tracked entities. It lives as long as the handler's code runs in that
/// transaction.
/// </summary>
/// <remarks>
/// It must not commit the transaction, roll it back, or close its connection. It must let an error of the database pass as it is, or inside of its own
/// exception, and must set no savepoint: the lane decides by the state of the transaction whether to repeat the batch.
/// </remarks>
internal interface ITransactionWriter : IAsyncDisposable
{
    /// <summary>Writes what it still holds in memory. Called once, after the handler's code, if that did not throw.</summary>
    Task FlushAsync(CancellationToken cancellation);
}

/// <summary>A writer cannot be used as it was configured. Every event would fail, so its lanes stop under any failure policy.</summary>
internal sealed class WriterSetUpException(string message, Exception? cause = null) : InvalidOperationException(message, cause)
{
    internal static bool IsIn(Exception error) => error is WriterSetUpException || (error.InnerException is { } inner && IsIn(inner));
}

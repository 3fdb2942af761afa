namespace Throttled.Journal.Sharding.Moving;

/// <summary>Writes rows to a table.</summary>
internal interface IRowWriter : IAsyncDisposable
{
    /// <param name="rows">Whole rows, one behind the other, in the form in which <see cref="IRowSink"/> was given them.</param>
    /// <param name="cancellation">Gives up.</param>
    ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation);

    /// <summary>No more rows come.</summary>
    Task CompleteAsync(CancellationToken cancellation);
}

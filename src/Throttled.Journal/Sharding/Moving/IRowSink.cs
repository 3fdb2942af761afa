namespace Throttled.Journal.Sharding.Moving;

/// <summary>Takes the rows of a table.</summary>
internal interface IRowSink
{
    /// <param name="slice">The slice of the row's persistence id.</param>
    /// <param name="row">All its values, in a form of the database's own; valid until the task ends.</param>
    /// <param name="cancellation">Gives up.</param>
    ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation);
}

using Throttled.Journal.Sql;

namespace Throttled.Journal.Sharding.Moving;

/// <summary>Sums the rows of one shard's table up, and counts those that are another's.</summary>
internal sealed class RowCheck(SliceRange slices) : IRowSink, IDisposable
{
    private readonly RowDigest _digest = new(null);

    /// <summary>How many rows are of slices that are another shard's.</summary>
    internal long Strays { get; private set; }

    public ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        Strays += slices.Contains(slice) ? 0 : 1;
        return _digest.AddAsync(row, cancellation);
    }

    internal Task<RowSum> CompleteAsync(CancellationToken cancellation) => _digest.CompleteAsync(cancellation);

    public void Dispose() => _digest.Dispose();
}

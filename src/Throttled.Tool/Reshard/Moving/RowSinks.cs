using System.Security.Cryptography;

namespace Throttled.Tool.Reshard;

/// <summary>Receives the rows of a table.</summary>
internal interface IRowSink
{
    /// <summary>Takes all values of a row, in a form that the database defines; valid until the task ends. The slice is that of its persistence id.</summary>
    ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation);
}

/// <summary>Writes rows to a table.</summary>
internal interface IRowWriter : IAsyncDisposable
{
    /// <summary>Writes whole rows, one after the other, in the form that <see cref="IRowSink"/> received.</summary>
    ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation);

    /// <summary>Ends the write after the last row.</summary>
    Task CompleteAsync(CancellationToken cancellation);
}

/// <summary>Sums up the rows of one shard's table, and counts rows of other shards.</summary>
internal sealed class RowCheck(SliceRange slices, RowProgress? progress = null) : IRowSink, IDisposable
{
    private readonly RowDigest _digest = new(null);

    /// <summary>How many rows are in slices of other shards.</summary>
    internal long Strays { get; private set; }

    public ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        Strays += slices.Contains(slice) ? 0 : 1;
        progress?.Count();
        return _digest.AddAsync(row, cancellation);
    }

    internal Task<RowSum> CompleteAsync(CancellationToken cancellation) => _digest.CompleteAsync(cancellation);

    public void Dispose() => _digest.Dispose();
}

/// <summary>The number of rows, and the SHA-256 of all their values in their order. <c>Bytes</c> are those of the values, as they are copied.</summary>
internal sealed record RowSum(long Rows, string Sha256, long Bytes);

/// <summary>Sums up rows, and passes them to a writer in chunks if there is one.</summary>
internal sealed class RowDigest(IRowWriter? writer) : IDisposable
{
    // There is one chunk per shard, and up to 1,024 shards.
    private const int ChunkBytes = 64 * 1024;

    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly byte[] _chunk = new byte[ChunkBytes];
    private int _used;
    private long _rows;
    private long _bytes;

    internal ValueTask AddAsync(ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        _rows++;
        _bytes += row.Length;
        if (row.Length > ChunkBytes - _used)
            return AddToNextAsync(row, cancellation);
        Keep(row);
        return default;
    }

    internal async Task<RowSum> CompleteAsync(CancellationToken cancellation)
    {
        await PassOnAsync(_chunk.AsMemory(0, _used), cancellation);
        if (writer is not null)
            await writer.CompleteAsync(cancellation);
        return new(_rows, Convert.ToHexStringLower(_hash.GetHashAndReset()), _bytes);
    }

    public void Dispose() => _hash.Dispose();

    private async ValueTask AddToNextAsync(ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        await PassOnAsync(_chunk.AsMemory(0, _used), cancellation);
        _used = 0;
        if (row.Length <= ChunkBytes)
            Keep(row);
        else
            await PassOnAsync(row, cancellation);
    }

    private void Keep(ReadOnlyMemory<byte> row)
    {
        row.Span.CopyTo(_chunk.AsSpan(_used));
        _used += row.Length;
    }

    private ValueTask PassOnAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation)
    {
        _hash.AppendData(rows.Span);
        return writer is null ? default : writer.WriteAsync(rows, cancellation);
    }
}

/// <summary>Passes each row of an old database's table to the digest of the new shard that has the row's slice.</summary>
/// <param name="table">The table.</param>
/// <param name="slices">The slices of the old database.</param>
/// <param name="to">The new shards.</param>
/// <param name="digests">The digest of each new shard.</param>
/// <param name="progress">Counts the rows.</param>
internal sealed class RowRouter(
    MovedTable table, SliceRange slices, ShardMap to, IReadOnlyDictionary<int, RowDigest> digests, RowProgress progress) : IRowSink
{
    public ValueTask TakeAsync(int slice, ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        if (!slices.Contains(slice))
            throw new ReshardException(FormattableString.Invariant(
                $"The table {table.Name} of the shard of the slices {slices} has a row of slice {slice}. Find out who wrote it, and move it to its shard."));
        progress.Count();
        return digests[to.ShardOf(slice)].AddAsync(row, cancellation);
    }
}

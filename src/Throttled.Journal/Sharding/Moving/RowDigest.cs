using System.Security.Cryptography;

namespace Throttled.Journal.Sharding.Moving;

/// <summary>How many rows there are, and the SHA-256 of all their values in their order.</summary>
internal sealed record RowSum(long Rows, string Sha256);

/// <summary>Sums rows up, and hands them on to a writer where there is one, many at a time.</summary>
internal sealed class RowDigest(IRowWriter? writer) : IDisposable
{
    // One for each shard, of which there are up to 1,024.
    private const int ChunkBytes = 64 * 1024;

    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly byte[] _chunk = new byte[ChunkBytes];
    private int _used;
    private long _rows;

    internal ValueTask AddAsync(ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        _rows++;
        if (row.Length > ChunkBytes - _used)
            return AddToNextAsync(row, cancellation);
        Keep(row);
        return default;
    }

    internal async Task<RowSum> CompleteAsync(CancellationToken cancellation)
    {
        await PassOnAsync(_chunk.AsMemory(0, _used), cancellation).ConfigureAwait(false);
        if (writer is not null)
            await writer.CompleteAsync(cancellation).ConfigureAwait(false);
        return new(_rows, Convert.ToHexStringLower(_hash.GetHashAndReset()));
    }

    public void Dispose() => _hash.Dispose();

    private async ValueTask AddToNextAsync(ReadOnlyMemory<byte> row, CancellationToken cancellation)
    {
        await PassOnAsync(_chunk.AsMemory(0, _used), cancellation).ConfigureAwait(false);
        _used = 0;
        if (row.Length <= ChunkBytes)
            Keep(row);
        else
            await PassOnAsync(row, cancellation).ConfigureAwait(false);
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

using Npgsql;
using Throttled.Journal.Sharding.Moving;

namespace Throttled.Journal.PostgreSql.Moving;

/// <summary>Writes rows, as <see cref="CopyOut"/> gave them, into a COPY … FROM STDIN (FORMAT BINARY).</summary>
internal sealed class CopyIn(NpgsqlRawCopyStream stream) : IRowWriter
{
    // Signature, flags, and an extension of no length.
    private static readonly byte[] Header = [.. "PGCOPY\n"u8, 0xFF, .. "\r\n\0"u8, 0, 0, 0, 0, 0, 0, 0, 0];
    private static readonly byte[] Trailer = [0xFF, 0xFF];

    private bool _isComplete;

    internal static async Task<CopyIn> BeginAsync(NpgsqlRawCopyStream stream, CancellationToken cancellation)
    {
        await stream.WriteAsync(Header, cancellation).ConfigureAwait(false);
        return new(stream);
    }

    public ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation) => stream.WriteAsync(rows, cancellation);

    public async Task CompleteAsync(CancellationToken cancellation)
    {
        await stream.WriteAsync(Trailer, cancellation).ConfigureAwait(false);
        _isComplete = true;
        await stream.DisposeAsync().ConfigureAwait(false);
    }

    public async ValueTask DisposeAsync()
    {
        if (_isComplete)
            return;
        try
        {
            await stream.CancelAsync().ConfigureAwait(false);
        }
        catch (Exception error) when (error is NpgsqlException or InvalidOperationException or ObjectDisposedException)
        {
            // The connection is gone, and with it the transaction; the error that led here says why.
        }
    }
}

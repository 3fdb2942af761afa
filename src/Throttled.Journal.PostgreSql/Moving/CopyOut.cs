using System.Buffers.Binary;
using Npgsql;
using Throttled.Journal.Sharding.Moving;

namespace Throttled.Journal.PostgreSql.Moving;

/// <summary>
/// Reads the rows of a COPY … TO STDOUT (FORMAT BINARY) whose first column is the persistence id, and gives them on without it and undecoded. The
/// form: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
/// </summary>
internal sealed class CopyOut(NpgsqlRawCopyStream stream, MovedTable table)
{
    internal const int SignatureBytes = 11;
    private const int HeaderBytes = SignatureBytes + 4 + 4;

    private byte[] _buffer = new byte[256 * 1024];
    private int _start;
    private int _end;

    internal async Task ReadAsync(IRowSink rows, CancellationToken cancellation)
    {
        await FillAsync(HeaderBytes, cancellation).ConfigureAwait(false);
        var extension = Int32(SignatureBytes + 4);
        await FillAsync(HeaderBytes + extension, cancellation).ConfigureAwait(false);
        _start += HeaderBytes + extension;
        while (await NextAsync(cancellation).ConfigureAwait(false) is { } length)
        {
            await TakeAsync(rows, length, cancellation).ConfigureAwait(false);
            _start += length;
        }
    }

    // The length of the next row; null where there is none.
    private async ValueTask<int?> NextAsync(CancellationToken cancellation)
    {
        await FillAsync(2, cancellation).ConfigureAwait(false);
        var fields = Int16(0);
        if (fields < 0)
            return null;
        var length = 2;
        for (var field = 0; field < fields; field++)
        {
            await FillAsync(length + 4, cancellation).ConfigureAwait(false);
            length = checked(length + 4 + Math.Max(0, Int32(length)));
        }
        await FillAsync(length, cancellation).ConfigureAwait(false);
        return length;
    }

    private ValueTask TakeAsync(IRowSink rows, int length, CancellationToken cancellation)
    {
        var id = Int32(2);
        if (id < 0)
            throw new ReshardException(
                $"A row of the table {table.Name} has no persistence id, or is of an event that is not there. Delete such rows, and start again.");
        var slice = JournalSlices.OfUtf8(_buffer.AsSpan(_start + 6, id));
        // The row begins again behind the id, with one field less.
        var begin = _start + 6 + id - 2;
        BinaryPrimitives.WriteInt16BigEndian(_buffer.AsSpan(begin), (short)(Int16(0) - 1));
        return rows.TakeAsync(slice, _buffer.AsMemory(begin, _start + length - begin), cancellation);
    }

    private ValueTask FillAsync(int bytes, CancellationToken cancellation) =>
        _end - _start >= bytes ? default : ReceiveAsync(bytes, cancellation);

    private async ValueTask ReceiveAsync(int bytes, CancellationToken cancellation)
    {
        MakeRoom(bytes);
        while (_end - _start < bytes)
        {
            var read = await stream.ReadAsync(_buffer.AsMemory(_end), cancellation).ConfigureAwait(false);
            if (read == 0)
                throw new ReshardException($"The server ended the copy of the table {table.Name} in the middle of a row. Start again.");
            _end += read;
        }
    }

    private void MakeRoom(int bytes)
    {
        var kept = _buffer.AsSpan(_start, _end - _start);
        var target = bytes > _buffer.Length ? new byte[(int)Math.Min(Array.MaxLength, Math.Max(bytes, 2L * _buffer.Length))] : _buffer;
        kept.CopyTo(target);
        (_buffer, _start, _end) = (target, 0, kept.Length);
    }

    private short Int16(int offset) => BinaryPrimitives.ReadInt16BigEndian(_buffer.AsSpan(_start + offset));

    private int Int32(int offset) => BinaryPrimitives.ReadInt32BigEndian(_buffer.AsSpan(_start + offset));
}

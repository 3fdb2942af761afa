using System.Buffers.Binary;
using Npgsql;

namespace Throttled.Tool.Reshard;

/// <summary>The statements that copy a table.</summary>
internal static class TableCopy
{
    internal static async Task ScanAsync(MoveSession session, TableShape shape, IRowSink rows, CancellationToken cancellation)
    {
        await using var stream = await session.Connection.BeginRawBinaryCopyAsync(Out(session, shape), cancellation);
        await new CopyOut(stream, shape.Table).ReadAsync(rows, cancellation);
    }

    internal static string In(MoveSession session, TableShape shape) =>
        $"COPY {session.Quoted(shape.Table)} ({string.Join(", ", shape.Columns.Select(column => session.Quote(column.Name)))}) FROM STDIN (FORMAT BINARY)";

    private static string Out(MoveSession session, TableShape shape)
    {
        var columns = string.Join(", ", shape.Columns.Select(column => $"t.{session.Quote(column.Name)}"));
        var id = shape.HasId ? $"t.{session.Quote(shape.Table.IdColumn)}" : $"j.{session.Quote(session.Tables.PersistenceIdColumn)}";
        return $"COPY (SELECT {id}::text, {columns} FROM {session.Quoted(shape.Table)} t{Join(session, shape)} "
            + $"ORDER BY {Keys(session, shape)}) TO STDOUT (FORMAT BINARY)";
    }

    private static string Join(MoveSession session, TableShape shape) => shape.HasId ? ""
        : $" LEFT JOIN {session.Journal} j ON j.{session.Quote(session.Tables.OrderingColumn)} = t.{session.Quote(shape.Table.OrderingColumn!)}";

    // Texts are ordered by their bytes, because the two databases may have different collations.
    private static string Keys(MoveSession session, TableShape shape)
    {
        string?[] keys =
        [
            shape.Table.OrderingColumn is { } ordering ? $"t.{session.Quote(ordering)}" : null,
            shape.Table.TextKey is { } text ? $"t.{session.Quote(text)}::text COLLATE \"C\"" : null,
        ];
        return string.Join(", ", keys.Where(key => key is not null));
    }
}

/// <summary>Writes rows from <see cref="CopyOut"/> into a COPY … FROM STDIN (FORMAT BINARY).</summary>
internal sealed class CopyIn(NpgsqlRawCopyStream stream) : IRowWriter
{
    // Signature, flags, and an empty header extension.
    private static readonly byte[] Header = [.. "PGCOPY\n"u8, 0xFF, .. "\r\n\0"u8, 0, 0, 0, 0, 0, 0, 0, 0];
    private static readonly byte[] Trailer = [0xFF, 0xFF];

    private bool _isComplete;

    internal static async Task<CopyIn> BeginAsync(NpgsqlRawCopyStream stream, CancellationToken cancellation)
    {
        await stream.WriteAsync(Header, cancellation);
        return new(stream);
    }

    public ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation) => stream.WriteAsync(rows, cancellation);

    public async Task CompleteAsync(CancellationToken cancellation)
    {
        await stream.WriteAsync(Trailer, cancellation);
        _isComplete = true;
        await stream.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (_isComplete)
            return;
        try
        {
            await stream.CancelAsync();
        }
        catch (Exception error) when (error is NpgsqlException or InvalidOperationException or ObjectDisposedException)
        {
            // The connection and its transaction are gone. The error that led here says why.
        }
    }
}

/// <summary>
/// Reads the rows of a COPY … TO STDOUT (FORMAT BINARY). Their first column is the persistence id. Passes them on without that
/// column, and does not decode them. The form: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-BINARY-FORMAT
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
        await FillAsync(HeaderBytes, cancellation);
        var extension = Int32(SignatureBytes + 4);
        await FillAsync(HeaderBytes + extension, cancellation);
        _start += HeaderBytes + extension;
        while (await NextAsync(cancellation) is { } length)
        {
            await TakeAsync(rows, length, cancellation);
            _start += length;
        }
    }

    // The length of the next row; null after the last row.
    private async ValueTask<int?> NextAsync(CancellationToken cancellation)
    {
        await FillAsync(2, cancellation);
        var fields = Int16(0);
        if (fields < 0)
            return null;
        var length = 2;
        for (var field = 0; field < fields; field++)
        {
            await FillAsync(length + 4, cancellation);
            length = checked(length + 4 + Math.Max(0, Int32(length)));
        }
        await FillAsync(length, cancellation);
        return length;
    }

    private ValueTask TakeAsync(IRowSink rows, int length, CancellationToken cancellation)
    {
        var id = Int32(2);
        if (id < 0)
            throw new ReshardException(
                $"A row of the table {table.Name} has no persistence id, or its event is not in the journal. Delete such rows, and start again.");
        var slice = JournalSlices.OfUtf8(_buffer.AsSpan(_start + 6, id));
        // The row now begins after the id, with one field less.
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
            var read = await stream.ReadAsync(_buffer.AsMemory(_end), cancellation);
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

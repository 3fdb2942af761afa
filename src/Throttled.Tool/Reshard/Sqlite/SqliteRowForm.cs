using System.Buffers.Binary;
using SQLitePCL;
using Throttled.Journal.Sqlite;

namespace Throttled.Tool.Reshard;

/// <summary>A row as bytes. Each value has its storage class, then eight bytes of a number, or the length and the bytes of a text or blob.</summary>
internal sealed class SqliteRowForm
{
    private byte[] _row = new byte[4096];
    private int _used;

    /// <summary>Reads the values of a row, beginning at a column. Valid until the next call.</summary>
    internal ReadOnlyMemory<byte> Read(PreparedStatement row, int first, int count)
    {
        _used = 0;
        for (var column = first; column < first + count; column++)
            Add(row, column);
        return _row.AsMemory(0, _used);
    }

    /// <summary>Binds the values of the first row in some bytes.</summary>
    /// <returns>The bytes after that row.</returns>
    internal static ReadOnlySpan<byte> Bind(PreparedStatement statement, ReadOnlySpan<byte> rows, int count)
    {
        for (var parameter = 1; parameter <= count; parameter++)
            rows = rows[Bind(statement, parameter, rows[0], rows[1..])..];
        return rows;
    }

    private void Add(PreparedStatement row, int column)
    {
        var storage = row.StorageClass(column);
        Room(9).Span[0] = (byte)storage;
        if (storage == raw.SQLITE_NULL)
            _used += 1;
        else if (storage == raw.SQLITE_INTEGER)
            AddNumber(row.Integer(column));
        else if (storage == raw.SQLITE_FLOAT)
            AddNumber(BitConverter.DoubleToInt64Bits(row.Real(column)));
        else
            AddBytes(storage == raw.SQLITE_TEXT ? row.TextBytes(column) : row.BlobBytes(column));
    }

    private void AddNumber(long value)
    {
        BinaryPrimitives.WriteInt64LittleEndian(_row.AsSpan(_used + 1), value);
        _used += 9;
    }

    private void AddBytes(ReadOnlySpan<byte> value)
    {
        BinaryPrimitives.WriteInt32LittleEndian(_row.AsSpan(_used + 1), value.Length);
        _used += 5;
        value.CopyTo(Room(value.Length).Span);
        _used += value.Length;
    }

    private Memory<byte> Room(int bytes)
    {
        if (_row.Length - _used < bytes)
            Array.Resize(ref _row, checked((int)Math.Min(Array.MaxLength, Math.Max(2L * _row.Length, (long)_used + bytes))));
        return _row.AsMemory(_used);
    }

    // Returns the number of bytes of the value.
    private static int Bind(PreparedStatement statement, int parameter, int storage, ReadOnlySpan<byte> value)
    {
        if (storage == raw.SQLITE_NULL)
        {
            statement.BindNull(parameter);
            return 1;
        }
        if (storage is raw.SQLITE_INTEGER or raw.SQLITE_FLOAT)
        {
            var number = BinaryPrimitives.ReadInt64LittleEndian(value);
            if (storage == raw.SQLITE_INTEGER)
                statement.Bind(parameter, number);
            else
                statement.Bind(parameter, BitConverter.Int64BitsToDouble(number));
            return 9;
        }
        var bytes = value.Slice(4, BinaryPrimitives.ReadInt32LittleEndian(value));
        if (storage == raw.SQLITE_TEXT)
            statement.BindUtf8(parameter, bytes);
        else
            statement.Bind(parameter, bytes);
        return 5 + bytes.Length;
    }
}

/// <summary>Inserts rows in the form of <see cref="SqliteRowForm"/>.</summary>
internal sealed class SqliteRowWriter(PreparedStatement insert, int columns) : IRowWriter
{
    public ValueTask WriteAsync(ReadOnlyMemory<byte> rows, CancellationToken cancellation)
    {
        var left = rows.Span;
        while (!left.IsEmpty)
        {
            left = SqliteRowForm.Bind(insert, left, columns);
            insert.Run();
        }
        return default;
    }

    public Task CompleteAsync(CancellationToken cancellation) => Task.CompletedTask;

    public ValueTask DisposeAsync() => default;
}

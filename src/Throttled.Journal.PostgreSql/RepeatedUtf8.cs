using System.Data.Common;
using System.Text;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// Remembers the last text, so that the same manifest in each row of a page is one string: equal bytes are equal texts. Bytes that are no
/// UTF-8 become U+FFFD; the driver would fail on them. A database with the encoding SQL_ASCII may have such texts.
/// </summary>
internal sealed class RepeatedUtf8
{
    // Longer texts are created each time. Npgsql sets the client encoding to UTF-8, so the bytes are UTF-8.
    private readonly byte[] _read = new byte[256];
    private readonly byte[] _known = new byte[256];
    private int _length;
    private string _text = "";

    internal string Read(DbDataReader row, int column)
    {
        var read = Bytes(row, column, _read);
        if (read.Length > _known.Length)
            return Encoding.UTF8.GetString(read);
        if (!read.SequenceEqual(_known.AsSpan(0, _length)))
        {
            _text = Encoding.UTF8.GetString(read);
            read.CopyTo(_known);
            _length = read.Length;
        }
        return _text;
    }

    /// <summary>The bytes of a column: in the buffer if they are shorter than it.</summary>
    internal static ReadOnlySpan<byte> Bytes(DbDataReader row, int column, byte[] buffer)
    {
        var length = (int)row.GetBytes(column, 0, buffer, 0, buffer.Length);
        if (length < buffer.Length)
            return buffer.AsSpan(0, length);
        var read = new byte[(int)row.GetBytes(column, 0, null, 0, 0)];
        row.GetBytes(column, 0, read, 0, read.Length);
        return read;
    }
}

using System.Text;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// A statement prepared once and run again and again: bind, step, read, reset. It stands below the driver's commands and
/// readers, which cost more per run and per value than SQLite does. Values are never converted: one of another type than
/// asked for is an error, where SQLite would make it 0 or an empty text.
/// </summary>
internal sealed class PreparedStatement : IDisposable
{
    // Half of a surrogate pair is refused; the usual encoding would make it U+FFFD, and of one id another.
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly sqlite3 _connection;
    private readonly sqlite3_stmt _statement;
    private readonly TextMemo _memo;
    private byte[] _utf8 = new byte[512];

    /// <exception cref="SqliteException">SQLite refuses the statement.</exception>
    internal PreparedStatement(sqlite3 connection, string sql, TextMemo memo)
    {
        (_connection, _memo) = (connection, memo);
        SqliteException.ThrowExceptionForRC(
            raw.sqlite3_prepare_v3(connection, sql, raw.SQLITE_PREPARE_PERSISTENT, out _statement), connection);
    }

    internal PreparedStatement Bind(int parameter, long value)
    {
        Check(raw.sqlite3_bind_int64(_statement, parameter, value));
        return this;
    }

    /// <exception cref="EncoderFallbackException">The text has half of a surrogate pair.</exception>
    internal PreparedStatement Bind(int parameter, string value)
    {
        if (_utf8.Length < Utf8.GetMaxByteCount(value.Length))
            _utf8 = new byte[Utf8.GetMaxByteCount(value.Length)];
        var length = Utf8.GetBytes(value, _utf8);
        Check(raw.sqlite3_bind_text(_statement, parameter, _utf8.AsSpan(0, length)));
        return this;
    }

    internal PreparedStatement Bind(int parameter, ReadOnlySpan<byte> value)
    {
        // An empty span has no address, and SQLite takes no address for NULL.
        Check(value.IsEmpty
            ? raw.sqlite3_bind_zeroblob(_statement, parameter, 0)
            : raw.sqlite3_bind_blob(_statement, parameter, value));
        return this;
    }

    internal PreparedStatement Bind(int parameter, double value)
    {
        Check(raw.sqlite3_bind_double(_statement, parameter, value));
        return this;
    }

    /// <summary>A text that is UTF-8 already, or what stands where one should be: SQLite takes any bytes.</summary>
    internal PreparedStatement BindUtf8(int parameter, ReadOnlySpan<byte> value)
    {
        // As with a blob; a text with its end has an address.
        Check(value.IsEmpty
            ? raw.sqlite3_bind_text(_statement, parameter, utf8z.FromString(""))
            : raw.sqlite3_bind_text(_statement, parameter, value));
        return this;
    }

    internal PreparedStatement BindNull(int parameter)
    {
        Check(raw.sqlite3_bind_null(_statement, parameter));
        return this;
    }

    /// <summary>Runs on to the next row.</summary>
    /// <returns>Whether there is one.</returns>
    /// <exception cref="SqliteException">The statement failed. It is to be reset.</exception>
    internal bool Step()
    {
        var result = raw.sqlite3_step(_statement);
        if (result == raw.SQLITE_ROW)
            return true;
        if (result != raw.SQLITE_DONE)
            SqliteException.ThrowExceptionForRC(result, _connection);
        return false;
    }

    /// <summary>Runs a statement without rows, or whose rows are of no interest beyond the first.</summary>
    internal void Run()
    {
        Step();
        Reset();
    }

    /// <summary>Ends the run, so that its read lock is given back. Harmless at rest.</summary>
    // The result repeats the error of the last step, which was thrown already.
    internal void Reset() => _ = raw.sqlite3_reset(_statement);

    /// <summary>The storage class, as SQLite numbers them: https://www.sqlite.org/c3ref/c_blob.html</summary>
    internal int StorageClass(int column) => raw.sqlite3_column_type(_statement, column);

    internal bool IsNull(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_NULL;

    internal bool IsInteger(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_INTEGER;

    internal bool IsText(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_TEXT;

    /// <exception cref="InvalidCastException">It is not an integer.</exception>
    internal long Integer(int column) =>
        IsInteger(column)
            ? raw.sqlite3_column_int64(_statement, column)
            : throw WrongType(column, "an integer");

    /// <exception cref="InvalidCastException">It is not a text.</exception>
    internal string Text(int column) =>
        IsText(column)
            ? raw.sqlite3_column_text(_statement, column).utf8_to_string()
            : throw WrongType(column, "a text");

    /// <summary>A floating-point number.</summary>
    internal double Real(int column) => raw.sqlite3_column_double(_statement, column);

    /// <summary>A blob. Valid until the next step.</summary>
    internal ReadOnlySpan<byte> BlobBytes(int column) => raw.sqlite3_column_blob(_statement, column);

    /// <summary>A text that is probably the same in many rows, which then share it.</summary>
    /// <exception cref="InvalidCastException">It is not a text.</exception>
    internal string CommonText(int column)
    {
        if (!IsText(column))
            throw WrongType(column, "a text");
        // As stored, UTF-8 or UTF-16. Reading the text may convert it in place, so the bytes are remembered before.
        var stored = raw.sqlite3_column_blob(_statement, column);
        return _memo.Find(stored) ?? _memo.Keep(stored.ToArray(), Text(column));
    }

    /// <summary>Bytes, or a text as UTF-8: JSON stored by hand.</summary>
    /// <exception cref="InvalidCastException">It is neither.</exception>
    internal byte[] Bytes(int column)
    {
        var type = raw.sqlite3_column_type(_statement, column);
        if (type == raw.SQLITE_TEXT)
            return TextBytes(column).ToArray();
        return type == raw.SQLITE_BLOB
            ? raw.sqlite3_column_blob(_statement, column).ToArray()
            : throw WrongType(column, "a blob");
    }

    /// <summary>A text as UTF-8, however it is stored. Valid until the next step.</summary>
    internal ReadOnlySpan<byte> TextBytes(int column)
    {
        // Reading a text converts it in place, and its bytes are then what was read.
        _ = raw.sqlite3_column_text(_statement, column);
        return raw.sqlite3_column_blob(_statement, column);
    }

    /// <summary>Runs a statement of one row at most.</summary>
    /// <returns>What is read of the row; null where there is none.</returns>
    internal T? First<T>(Func<PreparedStatement, T> read)
    {
        var first = Step() ? read(this) : default;
        Reset();
        return first;
    }

    public void Dispose() => _statement.Dispose();

    private void Check(int result)
    {
        if (result != raw.SQLITE_OK)
            SqliteException.ThrowExceptionForRC(result, _connection);
    }

    private InvalidCastException WrongType(int column, string wanted) =>
        new($"Column \"{raw.sqlite3_column_name(_statement, column).utf8_to_string()}\" holds {Found(column)} in the row "
            + $"that begins with {raw.sqlite3_column_text(_statement, 0).utf8_to_string()}; it must be {wanted}. Repair or delete that row.");

    private string Found(int column) => raw.sqlite3_column_type(_statement, column) switch
    {
        raw.SQLITE_NULL => "NULL",
        raw.SQLITE_INTEGER => "an integer",
        raw.SQLITE_FLOAT => "a floating-point number",
        raw.SQLITE_TEXT => "a text",
        _ => "a blob",
    };
}

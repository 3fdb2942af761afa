using System.Text;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// A statement that is prepared once and run many times: bind, step, read, reset. It calls SQLite directly. The driver's
/// commands and readers cost more per run and per value than SQLite does. Values are never converted. A value of another type
/// is an error; SQLite would make it 0 or an empty text.
/// </summary>
internal sealed class PreparedStatement : IDisposable
{
    // Half of a surrogate pair is refused. The usual encoding would write U+FFFD, so the id would change into another id.
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly sqlite3 _connection;
    private readonly sqlite3_stmt _statement;
    private readonly TextMemo _memo;
    private byte[] _utf8 = new byte[512];

    /// <exception cref="SqliteException">SQLite refuses the statement.</exception>
    internal PreparedStatement(sqlite3 connection, string sql, TextMemo memo)
    {
        (_connection, _memo) = (connection, memo);
        SqliteException.ThrowExceptionForRC(raw.sqlite3_prepare_v3(connection, sql, raw.SQLITE_PREPARE_PERSISTENT, out _statement), connection);
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
        // An empty span has no address, and SQLite stores NULL if it gets no address.
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

    /// <summary>Binds UTF-8 bytes. They need not be valid, because SQLite takes any bytes as text.</summary>
    internal PreparedStatement BindUtf8(int parameter, ReadOnlySpan<byte> value)
    {
        // An empty span has no address, as with a blob. A text that ends with a zero byte has one.
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

    /// <summary>Goes on to the next row.</summary>
    /// <returns>False if there is no more row.</returns>
    /// <exception cref="SqliteException">The statement failed. Call <see cref="Reset"/>.</exception>
    internal bool Step()
    {
        var result = raw.sqlite3_step(_statement);
        if (result == raw.SQLITE_ROW)
            return true;
        if (result != raw.SQLITE_DONE)
            SqliteException.ThrowExceptionForRC(result, _connection);
        return false;
    }

    /// <summary>Runs a statement to its first row at most, and resets it.</summary>
    internal void Run()
    {
        Step();
        Reset();
    }

    /// <summary>Ends the run, which releases its read lock. Does nothing if the statement is not running.</summary>
    // The result repeats the error of the last step, which was thrown already.
    internal void Reset() => _ = raw.sqlite3_reset(_statement);

    /// <summary>The storage class, as SQLite numbers them: https://www.sqlite.org/c3ref/c_blob.html</summary>
    internal int StorageClass(int column) => raw.sqlite3_column_type(_statement, column);

    internal bool IsNull(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_NULL;

    internal bool IsInteger(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_INTEGER;

    internal bool IsText(int column) => raw.sqlite3_column_type(_statement, column) == raw.SQLITE_TEXT;

    internal long Integer(int column) =>
        IsInteger(column) ? raw.sqlite3_column_int64(_statement, column) : throw WrongType(column, "an integer");

    internal string Text(int column) =>
        IsText(column) ? raw.sqlite3_column_text(_statement, column).utf8_to_string() : throw WrongType(column, "a text");

    internal double Real(int column) => raw.sqlite3_column_double(_statement, column);

    /// <summary>Valid until the next step.</summary>
    internal ReadOnlySpan<byte> BlobBytes(int column) => raw.sqlite3_column_blob(_statement, column);

    /// <summary>Reads a text that many rows probably have in common. These rows share one string.</summary>
    internal string CommonText(int column)
    {
        if (!IsText(column))
            throw WrongType(column, "a text");
        // The bytes as stored, UTF-8 or UTF-16. Reading the text may convert it in place, so its bytes are remembered first.
        var stored = raw.sqlite3_column_blob(_statement, column);
        return _memo.Find(stored) ?? _memo.Keep(stored.ToArray(), Text(column));
    }

    /// <summary>Reads a blob, or a text as UTF-8, such as JSON that was stored by hand.</summary>
    /// <exception cref="InvalidCastException">It is neither.</exception>
    internal byte[] Bytes(int column)
    {
        var type = raw.sqlite3_column_type(_statement, column);
        if (type == raw.SQLITE_TEXT)
            return TextBytes(column).ToArray();
        return type == raw.SQLITE_BLOB ? raw.sqlite3_column_blob(_statement, column).ToArray() : throw WrongType(column, "a blob");
    }

    /// <summary>Reads a text as UTF-8, whatever its stored encoding. Valid until the next step.</summary>
    internal ReadOnlySpan<byte> TextBytes(int column)
    {
        // Reading a text converts it in place, so the blob call then returns UTF-8.
        _ = raw.sqlite3_column_text(_statement, column);
        return raw.sqlite3_column_blob(_statement, column);
    }

    /// <summary>Runs a statement that returns one row at most.</summary>
    /// <returns>What <paramref name="read"/> returns; null if there is no row.</returns>
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

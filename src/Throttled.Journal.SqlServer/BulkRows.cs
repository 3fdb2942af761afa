using System.Collections;
using System.Data.Common;

namespace Throttled.Journal.SqlServer;

/// <summary>
/// Rows that a bulk copy reads one at a time, with columns by index. The driver uses only <see cref="Read"/>, <see
/// cref="DbDataReader.FieldCount"/> and <see cref="GetValue"/>.
/// </summary>
internal abstract class BulkRows : DbDataReader
{
    public sealed override int Depth => 0;

    public sealed override bool HasRows => true;

    public sealed override bool IsClosed => false;

    public sealed override int RecordsAffected => -1;

    public sealed override object this[int ordinal] => GetValue(ordinal);

    public sealed override object this[string name] => throw Unsupported();

    public abstract override bool Read();

    public abstract override object GetValue(int ordinal);

    public sealed override bool IsDBNull(int ordinal) => GetValue(ordinal) is DBNull;

    public sealed override bool NextResult() => false;

    public sealed override bool GetBoolean(int ordinal) => throw Unsupported();

    public sealed override byte GetByte(int ordinal) => throw Unsupported();

    public sealed override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) => throw Unsupported();

    public sealed override char GetChar(int ordinal) => throw Unsupported();

    public sealed override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) => throw Unsupported();

    public sealed override string GetDataTypeName(int ordinal) => throw Unsupported();

    public sealed override DateTime GetDateTime(int ordinal) => throw Unsupported();

    public sealed override decimal GetDecimal(int ordinal) => throw Unsupported();

    public sealed override double GetDouble(int ordinal) => throw Unsupported();

    public sealed override IEnumerator GetEnumerator() => throw Unsupported();

    public sealed override Type GetFieldType(int ordinal) => throw Unsupported();

    public sealed override float GetFloat(int ordinal) => throw Unsupported();

    public sealed override Guid GetGuid(int ordinal) => throw Unsupported();

    public sealed override short GetInt16(int ordinal) => throw Unsupported();

    public sealed override int GetInt32(int ordinal) => throw Unsupported();

    public sealed override long GetInt64(int ordinal) => throw Unsupported();

    public sealed override string GetName(int ordinal) => throw Unsupported();

    public sealed override int GetOrdinal(string name) => throw Unsupported();

    public sealed override string GetString(int ordinal) => throw Unsupported();

    public sealed override int GetValues(object[] values) => throw Unsupported();

    private static NotSupportedException Unsupported() => new("A bulk copy takes columns by place, as objects.");
}

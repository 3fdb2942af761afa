using System.Data.Common;
using System.Globalization;
using System.Text;
using Throttled.Projections.Merging;

namespace Throttled.Projections.Databases;

internal static class RowReading
{
    internal static string? TextOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetString(column);

    internal static int? IntOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetInt32(column);

    internal static long? LongOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetInt64(column);

    internal static double? DoubleOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetDouble(column);

    /// <summary>Also null if the column has a text that is not a time: SQLite's columns take values of any type.</summary>
    internal static DateTimeOffset? ValidTimeOrNull(this DbDataReader row, int column) =>
        row.GetValue(column) is string text && !DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out _)
            ? null
            : row.TimeOrNull(column);

    internal static DateTimeOffset? TimeOrNull(this DbDataReader row, int column) => row.GetValue(column) switch
    {
        DateTime time => new DateTimeOffset(time.ToUniversalTime(), TimeSpan.Zero),
        DateTimeOffset time => time.ToUniversalTime(),
        string text => DateTimeOffset.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal),
        _ => null,
    };

    /// <summary>A value that <see cref="MergeColumn"/> has stored, in a query with <see cref="ReadModelDialect.Read"/>.</summary>
    internal static TValue ValueOf<TValue>(this DbDataReader row, int index, MergeColumn column)
    {
        if (!row.IsDBNull(index))
            return (TValue)ValueOf(row, index, column.Type.Clr);
        return default(TValue) is null ? default! : throw new InvalidOperationException($"The column '{column.Name}' is null, and its type is {column.Type.Name}.");
    }

    private static object ValueOf(DbDataReader row, int index, Type type) => Type.GetTypeCode(type) switch
    {
        TypeCode.String => row.GetString(index),
        TypeCode.Int64 => row.GetInt64(index),
        TypeCode.Int32 => row.GetInt32(index),
        TypeCode.Int16 => row.GetInt16(index),
        TypeCode.Double => row.GetDouble(index),
        TypeCode.Single => row.GetFloat(index),
        TypeCode.Decimal => row.GetValue(index) is string text ? decimal.Parse(text, CultureInfo.InvariantCulture) : row.GetDecimal(index),
        TypeCode.Boolean => row.GetBoolean(index),
        // Only times in UTC are stored, and the databases do not store that.
        TypeCode.DateTime => DateTime.SpecifyKind(row.GetDateTime(index), DateTimeKind.Utc),
        _ => type == typeof(Guid) ? row.GetGuid(index)
            : type == typeof(DateTimeOffset) ? row.GetFieldValue<DateTimeOffset>(index)
            : row.GetFieldValue<byte[]>(index),
    };
}

/// <summary>Makes texts storable: a handler's exception may contain any character.</summary>
internal static class StoredText
{
    private const int MaxLength = 8000;

    /// <summary>Cut after 8,000 characters. An error that cannot be stored would keep its event from becoming a dead letter.</summary>
    // PostgreSQL has no zero character, and half a surrogate pair is not UTF-8: https://www.postgresql.org/docs/current/datatype-character.html
    internal static string? Of(string? text) => text is null
        ? null
        : Encoding.UTF8.GetString(Encoding.UTF8.GetBytes((text.Length > MaxLength ? $"{text[..MaxLength]}…" : text).Replace('\0', '\uFFFD')));
}

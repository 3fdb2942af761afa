using System.Data.Common;
using System.Globalization;

namespace Throttled.Projections.Store;

/// <summary>Columns that may be null, and moments however the database keeps them.</summary>
internal static class RowReading
{
    internal static string? TextOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetString(column);

    internal static int? IntOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetInt32(column);

    internal static long? LongOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetInt64(column);

    internal static double? DoubleOrNull(this DbDataReader row, int column) => row.IsDBNull(column) ? null : row.GetDouble(column);

    internal static DateTimeOffset? TimeOrNull(this DbDataReader row, int column) => row.GetValue(column) switch
    {
        DateTime time => new DateTimeOffset(time.ToUniversalTime(), TimeSpan.Zero),
        DateTimeOffset time => time.ToUniversalTime(),
        string text => DateTimeOffset.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal),
        _ => null,
    };
}

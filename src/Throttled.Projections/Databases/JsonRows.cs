using System.Globalization;
using System.Text;

namespace Throttled.Projections.Databases;

/// <summary>
/// Rows as a JSON array of arrays, for OPENJSON of SQL Server. It converts a text with the rules of JSON: bytes are base64, and times are ISO 8601.
/// https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
/// </summary>
internal static class JsonRows
{
    internal static string Of(SqlRows rows)
    {
        var columns = rows.Columns.Select(column => Writer(column.Values)).ToArray();
        var json = new StringBuilder("[");
        for (var row = 0; row < rows.Count; row++)
        {
            json.Append(row == 0 ? "[" : ",[");
            for (var column = 0; column < columns.Length; column++)
            {
                if (column > 0)
                    json.Append(',');
                columns[column](json, row);
            }
            json.Append(']');
        }
        return json.Append(']').ToString();
    }

    // Typed, so no value is boxed.
    private static Action<StringBuilder, int> Writer(Array values) => values switch
    {
        string?[] texts => (json, row) => Write(json, texts[row]),
        byte[]?[] bytes => (json, row) => Write(json, bytes[row] is { } known ? Convert.ToBase64String(known) : null),
        _ => Of<long>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{value}"))
            ?? Of<int>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{value}"))
            ?? Of<short>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{value}"))
            ?? Of<decimal>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{value}"))
            ?? Of<double>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{(double.IsSubnormal(value) ? 0 : Finite(value)):R}"))
            ?? Of<float>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"{(float.IsSubnormal(value) ? 0 : (float)Finite(value)):R}"))
            ?? Of<bool>(values, (json, value) => json.Append(value ? "true" : "false"))
            ?? Of<Guid>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"\"{value:D}\""))
            ?? Of<DateTime>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"\"{value:yyyy-MM-dd'T'HH:mm:ss.fffffff}\""))
            ?? Of<DateTimeOffset>(values, (json, value) => json.Append(CultureInfo.InvariantCulture, $"\"{value:yyyy-MM-dd'T'HH:mm:ss.fffffffzzz}\""))
            ?? throw new NotSupportedException($"{values.GetType()} is no type of a column."),
    };

    private static Action<StringBuilder, int>? Of<T>(Array values, Action<StringBuilder, T> write)
        where T : struct => values switch
        {
            T[] known => (json, row) => write(json, known[row]),
            T?[] optional => (json, row) =>
            {
                if (optional[row] is { } value)
                    write(json, value);
                else
                    json.Append("null");
            },
            _ => null,
        };

    // https://learn.microsoft.com/sql/t-sql/data-types/float-and-real-transact-sql
    private static double Finite(double value) => double.IsFinite(value)
        ? value
        : throw new InvalidOperationException(FormattableString.Invariant($"A value is {value}; SQL Server stores no infinity and no NaN. Give null instead."));

    // SQL Server's texts may have any code unit, also half of a surrogate pair. A writer of UTF-8 would replace it.
    private static void Write(StringBuilder json, string? text)
    {
        if (text is null)
        {
            json.Append("null");
            return;
        }
        json.Append('"');
        foreach (var unit in text)
        {
            if (unit is '"' or '\\')
                json.Append('\\').Append(unit);
            else if (unit < ' ')
                json.Append(CultureInfo.InvariantCulture, $"\\u{(int)unit:x4}");
            else
                json.Append(unit);
        }
        json.Append('"');
    }
}

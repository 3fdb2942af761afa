namespace Throttled.Projections.Merging;

internal abstract class MergeColumn(string name, MergeRule rule, ColumnType type)
{
    internal string Name => name;

    internal MergeRule Rule => rule;

    internal ColumnType Type => type;

    /// <summary>The SQL type that PostgreSQL casts the value to; null if the value's own type is right.</summary>
    internal string? Cast { get; private protected init; }

    /// <summary>The same for SQL Server.</summary>
    internal string? SqlServerCast { get; private protected init; }
}

internal abstract class MergeColumn<TRow>(string name, MergeRule rule, ColumnType type) : MergeColumn(name, rule, type)
{
    internal abstract Array Read(ReadOnlySpan<TRow> rows);

    internal abstract object? Read(TRow row);

    /// <summary>Compares two rows by this column.</summary>
    internal abstract Comparison<TRow> Compared(KeyOrder order);

    internal abstract MergeColumn<TRow> As(string? postgreSql, string? sqlServer);
}

/// <summary>A column of one type. Its values are not boxed if the database takes arrays.</summary>
internal sealed class MergeColumn<TRow, TValue>(string name, MergeRule rule, Func<TRow, TValue> value)
    : MergeColumn<TRow>(name, rule, ColumnType.Of(typeof(TValue), name, rule))
{
    private readonly Func<TRow, TValue> _value = ColumnTime.Utc(name, value);

    internal override Array Read(ReadOnlySpan<TRow> rows)
    {
        var values = new TValue[rows.Length];
        for (var i = 0; i < values.Length; i++)
            values[i] = _value(rows[i]);
        return values;
    }

    internal override object? Read(TRow row) => _value(row);

    internal override Comparison<TRow> Compared(KeyOrder order)
    {
        var values = order.Of<TValue>();
        return (left, right) => values.Compare(_value(left), _value(right));
    }

    internal override MergeColumn<TRow> As(string? postgreSql, string? sqlServer) =>
        new MergeColumn<TRow, TValue>(Name, Rule, _value) { Cast = postgreSql, SqlServerCast = sqlServer };
}

/// <summary>An order of keys that depends on no culture. Keys that differ are never equal.</summary>
internal class KeyOrder
{
    internal virtual IComparer<T> Of<T>() =>
        typeof(T) == typeof(string) ? (IComparer<T>)StringComparer.Ordinal
        : typeof(T) == typeof(byte[]) ? (IComparer<T>)Comparer<byte[]?>.Create((left, right) => left.AsSpan().SequenceCompareTo(right))
        : Comparer<T>.Default;
}

/// <summary>
/// Converts times to UTC. Npgsql refuses other offsets (https://www.npgsql.org/doc/types/datetime.html), and SQLite's texts sort only in one offset.
/// </summary>
internal static class ColumnTime
{
    internal static Func<TRow, TValue> Utc<TRow, TValue>(string column, Func<TRow, TValue> value) => value switch
    {
        Func<TRow, DateTime> times => As<TValue, DateTime, TRow>(row => Checked(column, times(row))),
        Func<TRow, DateTime?> times => As<TValue, DateTime?, TRow>(row => times(row) is { } time ? Checked(column, time) : null),
        Func<TRow, DateTimeOffset> times => As<TValue, DateTimeOffset, TRow>(row => times(row).ToUniversalTime()),
        Func<TRow, DateTimeOffset?> times => As<TValue, DateTimeOffset?, TRow>(row => times(row)?.ToUniversalTime()),
        _ => value,
    };

    private static DateTime Checked(string column, DateTime time) => time.Kind == DateTimeKind.Utc
        ? time
        : throw new InvalidOperationException(
            $"The column '{column}' has a DateTime of kind {time.Kind}; it must be Utc. Give ToUniversalTime(), DateTime.SpecifyKind, or a DateTimeOffset.");

    private static Func<TRow, TValue> As<TValue, TTime, TRow>(Func<TRow, TTime> times) => (Func<TRow, TValue>)(object)times;
}

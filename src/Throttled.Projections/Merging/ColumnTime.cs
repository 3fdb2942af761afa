namespace Throttled.Projections.Merging;

/// <summary>
/// Times go to the database in UTC. PostgreSQL keeps an instant without its offset, and Npgsql refuses any other
/// (https://www.npgsql.org/doc/types/datetime.html); SQLite keeps text, which has the order of the instants only where all offsets are the same.
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

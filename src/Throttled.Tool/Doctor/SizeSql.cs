using System.Globalization;
using Throttled.Journal.Relational;
using Throttled.Journal.SqlServer;

namespace Throttled.Tool.Doctor;

/// <summary>Reads how fast a journal grows: ordering and timestamp of the last event, and of the event 1,000 rows before it.</summary>
internal sealed class SizeSql(SqlDialect dialect, JournalTables tables)
{
    // Few enough to read quickly, enough for a rate.
    private const int Between = 1_000;

    /// <summary>At most two rows, the last event first.</summary>
    internal string Ends => $"{End(0)} UNION ALL {End(Between)} ORDER BY 1 DESC";

    /// <summary>Any row of the tag table.</summary>
    internal string AnyTag => $"SELECT 1 WHERE EXISTS (SELECT 1 FROM {dialect.Table(tables.Schema, tables.TagTable)})";

    /// <summary>A tag in the row of one of the last events.</summary>
    internal string AnyTagInColumn =>
        $"SELECT 1 WHERE EXISTS (SELECT 1 FROM (SELECT {dialect.Quote(tables.TagsColumn)} AS tag_text FROM {Table} ORDER BY {Ordering} DESC {dialect.Limit("1000")}) AS last_rows "
        + "WHERE tag_text IS NOT NULL AND tag_text <> '')";

    private string Table => dialect.Table(tables.Schema, tables.JournalTable);

    private string Ordering => dialect.Quote(tables.OrderingColumn);

    /// <param name="bytes">As <see cref="JournalSize.Bytes"/>.</param>
    /// <param name="ends">The results of <see cref="Ends"/>: orderings and timestamps in ticks.</param>
    internal static JournalSize Of(long bytes, IReadOnlyList<(long Ordering, long Ticks)> ends) => ends switch
    {
        [] => new(bytes, 0, null),
        // Between the two are as many events, but not as many orderings: some may be missing.
        [var last, var before] when last.Ticks > before.Ticks => new(bytes, last.Ordering, Between / new TimeSpan(last.Ticks - before.Ticks).TotalDays),
        [var last, ..] => new(bytes, last.Ordering, null),
    };

    private string End(int place) => string.Create(
        CultureInfo.InvariantCulture,
        $"SELECT * FROM (SELECT {Ordering}, {dialect.Quote(tables.TimestampColumn)} FROM {Table} ORDER BY {Ordering} DESC {Row(place)}) AS end_{place}");

    // SQL Server writes the offset before the limit.
    private string Row(int place) => dialect is SqlServerDialect
        ? FormattableString.Invariant($"OFFSET {place} ROWS FETCH NEXT 1 ROWS ONLY")
        : FormattableString.Invariant($"{dialect.Limit("1")} OFFSET {place}");
}

/// <summary>How large the journal is.</summary>
/// <param name="Bytes">On PostgreSQL, bytes of the tables with their indexes. On SQLite, bytes of the file and of its write-ahead log.</param>
/// <param name="Last">The highest ordering; 0 if there is none.</param>
/// <param name="PerDay">Events a day over the last 1,000 events; null if there are fewer events, or if they have no increasing timestamps.</param>
internal sealed record JournalSize(long Bytes, long Last, double? PerDay)
{
    internal string Text => string.Create(
        CultureInfo.InvariantCulture,
        $"{Bytes / 1e6:N1} MB, the last ordering is {Last:N0}{(PerDay is { } day ? $", and it grows by {day:N0} events a day" : "")}");
}

using System.Globalization;

namespace Throttled.Journal.Relational;

/// <summary>The SQL that differs between databases only in quotes, parameters and limits.</summary>
/// <param name="dialect">The syntax of the database.</param>
/// <param name="tables">The tables to read.</param>
/// <param name="limit">Which payloads to leave out; null for none.</param>
internal sealed class JournalSql(SqlDialect dialect, JournalTables tables, PayloadLimit? limit = null)
{
    internal string Journal { get; } = dialect.Table(tables.Schema, tables.JournalTable);

    internal string TagTable { get; } = dialect.Table(tables.Schema, tables.TagTable);

    /// <summary>The FROM clause of the journal table, with an alias: the outer statement may already use the table's own name for something else.</summary>
    internal string FromJournal => $"FROM {Journal} AS journal_row";

    /// <summary>The FROM clause of the tag table, with an alias for the same reason.</summary>
    internal string FromTags => $"FROM {TagTable} AS tag_row";

    internal string Ordering { get; } = dialect.Quote(tables.OrderingColumn);

    internal string Deleted { get; } = dialect.Quote(tables.DeletedColumn);

    internal string PersistenceId { get; } = dialect.Quote(tables.PersistenceIdColumn);

    internal string SequenceNumber { get; } = dialect.Quote(tables.SequenceNumberColumn);

    internal string TagOrdering { get; } = dialect.Quote(tables.TagOrderingColumn);

    internal string Tag { get; } = dialect.Quote(tables.TagColumn);

    /// <summary>
    /// The columns of a row: ordering, deleted, persistence id, sequence number, timestamp, payload, serializer id, manifest, the tags if they are in
    /// the row, and with a limit the length of a payload that is left out.
    /// </summary>
    internal string RowColumns => string.Join(", ", Columns());

    /// <summary>
    /// The columns of a row with its event type in one column: ordering, the type, the keys, sequence number, timestamp, payload, the tags if they are
    /// in the row, and with a limit the length of a payload that is left out.
    /// </summary>
    /// <param name="type">SQL for whether the row is deleted, its serializer id and its manifest.</param>
    /// <param name="keys">Other columns.</param>
    internal string TypedColumns(string type, params IEnumerable<string> keys) =>
        string.Join(", ", [Ordering, type, .. keys, .. Columns().Skip(3).Where(column => !TypeColumns.Contains(column))]);

    /// <summary>The key columns: ordering, persistence id, sequence number.</summary>
    internal string KeyColumns => $"{Ordering}, {PersistenceId}, {SequenceNumber}";

    /// <summary>The columns of a page: those of a row, but with NULL for the persistence id, which the request contains.</summary>
    internal string PageColumns => string.Join(", ", Columns().Select(column => column == PersistenceId ? "NULL" : column));

    /// <summary>One page. All arguments are SQL; the last four are parameters, or columns of an outer query.</summary>
    internal string Page(string columns, string id, string from, string to, string limit) =>
        $"SELECT {columns} {FromJournal} WHERE {dialect.IsExactly(PersistenceId, id)} AND {SequenceNumber} >= {from} "
        + $"AND {SequenceNumber} <= {to} ORDER BY {SequenceNumber} {dialect.Limit(limit)}";

    /// <summary>Keys or whole rows from a position on. Parameters: the position, how many.</summary>
    internal string From(string columns) =>
        $"SELECT {columns} {FromJournal} WHERE {Ordering} >= {dialect.Parameter(1)} "
        + $"ORDER BY {Ordering} {dialect.Limit(dialect.Parameter(2))}";

    /// <summary>
    /// Rows below an ordering, descending: ordering, deleted, persistence id, and the tags if they are in the row. Parameters: the ordering,
    /// how many.
    /// </summary>
    internal string FromEnd =>
        $"SELECT {Ordering}, {Deleted}, {PersistenceId}{TagsAfter} {FromJournal} "
        + $"WHERE {Ordering} < {dialect.Parameter(1)} ORDER BY {Ordering} DESC {dialect.Limit(dialect.Parameter(2))}";

    /// <summary>The key with the highest ordering.</summary>
    internal string LastKey => $"SELECT {KeyColumns} {FromJournal} ORDER BY {Ordering} DESC {dialect.Limit("1")}";

    /// <summary>The lowest ordering that has a tag.</summary>
    internal string FirstTagged => $"SELECT MIN({TagOrdering}) {FromTags}";

    private string TagsAfter => tables.TagMode == TagMode.Csv ? $", {dialect.Quote(tables.TagsColumn)}" : "";

    private IEnumerable<string> TypeColumns => [dialect.Quote(tables.SerializerIdColumn), dialect.Quote(tables.ManifestColumn)];

    private IEnumerable<string> Columns()
    {
        yield return Ordering;
        yield return Deleted;
        yield return PersistenceId;
        yield return SequenceNumber;
        yield return dialect.Quote(tables.TimestampColumn);
        yield return limit is null ? dialect.Quote(tables.PayloadColumn) : limit.Payload(dialect.Quote(tables.PayloadColumn));
        yield return dialect.Quote(tables.SerializerIdColumn);
        yield return dialect.Quote(tables.ManifestColumn);
        if (tables.TagMode == TagMode.Csv)
            yield return dialect.Quote(tables.TagsColumn);
        if (limit is not null)
            yield return limit.LeftOut;
    }
}

/// <summary>Leaves out payloads above a limit in the database, so they are not sent to the client.</summary>
/// <param name="Length">SQL for the length in bytes of the payload as delivered. It must not read the payload itself.</param>
/// <param name="Most">The limit in bytes.</param>
internal sealed record PayloadLimit(string Length, int Most)
{
    /// <summary>The payload under its column's name; NULL if it is left out.</summary>
    internal string Payload(string column) => $"CASE WHEN {IsLarge} THEN NULL ELSE {column} END AS {column}";

    /// <summary>The length of a payload that is left out; NULL if it is not left out.</summary>
    internal string LeftOut => $"CASE WHEN {IsLarge} THEN {Length} END AS left_out";

    private string IsLarge => string.Create(CultureInfo.InvariantCulture, $"{Length} > {Most}");
}

/// <summary>Tags in one column, each between separators: <c>;blue;green;</c>. Without tags, the column is empty or NULL.</summary>
internal static class CsvTags
{
    internal static IReadOnlyList<string> Parse(string column, char separator) =>
        column.Length == 0 ? [] : column.Split(separator, StringSplitOptions.RemoveEmptyEntries);

    internal static string Format(IReadOnlyList<string> tags, char separator) => tags.Count == 0 ? "" : $"{separator}{string.Join(separator, tags)}{separator}";
}

namespace Throttled.Journal.Sql;

/// <summary>The statements that every database spells alike but for quotes, parameters and limits.</summary>
internal sealed class JournalStatements(SqlDialect dialect, JournalTables tables)
{
    internal string Journal { get; } = dialect.Table(tables.Schema, tables.JournalTable);

    internal string TagTable { get; } = dialect.Table(tables.Schema, tables.TagTable);

    internal string Ordering { get; } = dialect.Quote(tables.OrderingColumn);

    internal string Deleted { get; } = dialect.Quote(tables.DeletedColumn);

    internal string PersistenceId { get; } = dialect.Quote(tables.PersistenceIdColumn);

    internal string SequenceNumber { get; } = dialect.Quote(tables.SequenceNumberColumn);

    internal string TagOrdering { get; } = dialect.Quote(tables.TagOrderingColumn);

    internal string Tag { get; } = dialect.Quote(tables.TagColumn);

    /// <summary>
    /// The columns of a row: ordering, deleted, persistence id, sequence number, timestamp, payload, serializer id, manifest,
    /// and the tags where they stand in the row.
    /// </summary>
    internal string RowColumns => string.Join(", ", Columns());

    /// <summary>The key columns: ordering, persistence id, sequence number.</summary>
    internal string KeyColumns => $"{Ordering}, {PersistenceId}, {SequenceNumber}";

    /// <summary>One page. The arguments are SQL: parameters, or columns of an outer query.</summary>
    internal string Page(string id, string from, string to, string limit) =>
        $"SELECT {PageColumns} FROM {Journal} WHERE {PersistenceId} = {id} AND {SequenceNumber} >= {from} "
        + $"AND {SequenceNumber} <= {to} ORDER BY {SequenceNumber} {dialect.Limit(limit)}";

    /// <summary>Keys, or whole rows, from a position on. Parameters: position, how many.</summary>
    internal string From(string columns) =>
        $"SELECT {columns} FROM {Journal} WHERE {Ordering} >= {dialect.Parameter(1)} "
        + $"ORDER BY {Ordering} {dialect.Limit(dialect.Parameter(2))}";

    /// <summary>The highest key.</summary>
    internal string LastKey => $"SELECT {KeyColumns} FROM {Journal} ORDER BY {Ordering} DESC {dialect.Limit("1")}";

    /// <summary>The lowest ordering that has a tag.</summary>
    internal string FirstTagged => $"SELECT MIN({TagOrdering}) FROM {TagTable}";

    // Who asks for a page knows the persistence id; in its place stands NULL.
    private string PageColumns => string.Join(", ", Columns().Select(column => column == PersistenceId ? "NULL" : column));

    private IEnumerable<string> Columns()
    {
        yield return Ordering;
        yield return Deleted;
        yield return PersistenceId;
        yield return SequenceNumber;
        yield return dialect.Quote(tables.TimestampColumn);
        yield return dialect.Quote(tables.PayloadColumn);
        yield return dialect.Quote(tables.SerializerIdColumn);
        yield return dialect.Quote(tables.ManifestColumn);
        if (tables.TagMode == TagMode.Csv)
            yield return dialect.Quote(tables.TagsColumn);
    }
}

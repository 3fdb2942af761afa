namespace Throttled.Tool.Reshard;

/// <summary>
/// The tables of a journal. <c>Metadata</c> is the one in which the older plugins keep the highest sequence number of ids whose events were deleted.
/// </summary>
internal sealed record MovedTables(JournalTables Names, string Metadata, bool NeedsMetadata = false)
{
    internal MovedTable Journal { get; } = new(
        Names.JournalTable, Names.PersistenceIdColumn, Names.OrderingColumn, null, "Give the names of the journal as the application has them");

    /// <summary>All tables, in an order in which no row comes before a row that it may refer to.</summary>
    internal IReadOnlyList<MovedTable> All =>
    [
        Journal,
        // An application that writes tags in both ways has this table too.
        new(Names.TagTable, Names.TagPersistenceIdColumn, Names.TagOrderingColumn, Names.TagColumn, Names.TagMode == TagMode.TagTable
            ? "Where the tags are in a column of the journal, say so with --tag-mode csv; where the table has another name, with --tag-table"
            : null),
        new(Metadata, Names.PersistenceIdColumn, null, Names.PersistenceIdColumn, NeedsMetadata ? "Correct or leave out --metadata-table" : null),
    ];
}

/// <summary>A table whose rows each belong to a persistence id and are copied with it.</summary>
/// <param name="Name">The table, in the journal's schema.</param>
/// <param name="IdColumn">The column with the persistence id. If the table lacks it, the journal's row with the ordering has the id.</param>
/// <param name="OrderingColumn">The column with the ordering; null if there is none.</param>
/// <param name="TextKey">The column that completes the key; null if the ordering alone is the key.</param>
/// <param name="Remedy">What to do if the table is missing; null if it may be missing.</param>
internal sealed record MovedTable(string Name, string IdColumn, string? OrderingColumn, string? TextKey, string? Remedy)
{
    /// <summary>The columns that the table must have.</summary>
    internal IEnumerable<string> KeyColumns => OrderingColumn is null ? [IdColumn] : TextKey is null ? [OrderingColumn, IdColumn] : [OrderingColumn, TextKey];
}

/// <summary>A column whose values are copied. <c>Type</c> is the database's name of its type, without the length.</summary>
internal readonly record struct MovedColumn(string Name, string Type);

/// <summary>
/// A table of an old database: the columns that are copied, in their order, the statements that create the same table, and those that create its
/// constraints and indexes after the copy of its rows.
/// </summary>
internal sealed record TableShape(
    MovedTable Table, IReadOnlyList<MovedColumn> Columns, IReadOnlyList<string> Create, IReadOnlyList<string> Complete)
{
    /// <summary>Why the same table cannot be created; null if it can.</summary>
    internal string? Refusal { get; init; }

    internal bool HasId => Has(Table.IdColumn);

    internal bool Has(string column) => Columns.Any(each => string.Equals(each.Name, column, StringComparison.OrdinalIgnoreCase));
}

using Throttled.Journal;

namespace Throttled.Reshard;

/// <summary>The tables that hold a journal.</summary>
/// <param name="Names">The journal's tables and columns.</param>
/// <param name="Metadata">The table in which the older plugins keep the highest sequence number of ids whose events were deleted.</param>
/// <param name="NeedsMetadata">Whether it must be there.</param>
internal sealed record MovedTables(JournalTables Names, string Metadata, bool NeedsMetadata = false)
{
    internal MovedTable Journal { get; } = new(
        Names.JournalTable, Names.PersistenceIdColumn, Names.OrderingColumn, null, "Give the names of the journal as the application has them");

    /// <summary>In their order: no row comes before one that it may name.</summary>
    internal IReadOnlyList<MovedTable> All =>
    [
        Journal,
        // An application that writes tags both ways has the table too.
        new(Names.TagTable, Names.TagPersistenceIdColumn, Names.TagOrderingColumn, Names.TagColumn, Names.TagMode == TagMode.TagTable
            ? "Where the tags are in a column of the journal, say so with --tag-mode csv; where the table has another name, with --tag-table"
            : null),
        new(Metadata, Names.PersistenceIdColumn, null, Names.PersistenceIdColumn, NeedsMetadata ? "Correct or leave out --metadata-table" : null),
    ];
}

/// <summary>A table each of whose rows belongs to a persistence id, and goes where that goes.</summary>
/// <param name="Name">The table, in the journal's schema.</param>
/// <param name="IdColumn">The column with the persistence id. Where it is not there, the ordering leads to the journal's row.</param>
/// <param name="OrderingColumn">The column with the ordering; null where there is none.</param>
/// <param name="TextKey">A column by which rows are told apart that the ordering does not tell apart; null where the ordering does.</param>
/// <param name="Remedy">What to do where the table is not there; null where it need not be.</param>
internal sealed record MovedTable(string Name, string IdColumn, string? OrderingColumn, string? TextKey, string? Remedy)
{
    /// <summary>The columns without which a table of that name is another.</summary>
    internal IEnumerable<string> KeyColumns => OrderingColumn is null ? [IdColumn] : TextKey is null ? [OrderingColumn, IdColumn] : [OrderingColumn, TextKey];
}

/// <summary>A column whose values are copied.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">Its type, as the database calls it, without its length.</param>
internal readonly record struct MovedColumn(string Name, string Type);

/// <summary>A table as it is in the database that it is copied from.</summary>
/// <param name="Table">The table.</param>
/// <param name="Columns">The columns that are copied, in their order.</param>
/// <param name="Create">The statements that create one like it.</param>
/// <param name="Complete">The statements that make its constraints and indexes, once its rows are there.</param>
internal sealed record TableShape(
    MovedTable Table, IReadOnlyList<MovedColumn> Columns, IReadOnlyList<string> Create, IReadOnlyList<string> Complete)
{
    /// <summary>Why one like it cannot be created; null where it can.</summary>
    internal string? Refusal { get; init; }

    internal bool HasId => Has(Table.IdColumn);

    internal bool Has(string column) => Columns.Any(each => string.Equals(each.Name, column, StringComparison.OrdinalIgnoreCase));
}

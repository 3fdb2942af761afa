namespace Throttled.Journal.Sharding.Moving;

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

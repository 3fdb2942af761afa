namespace Throttled.Journal.Sharding.Moving;

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

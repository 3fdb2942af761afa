namespace Throttled.Journal.Sharding.Moving;

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

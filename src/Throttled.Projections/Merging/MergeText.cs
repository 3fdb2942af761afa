namespace Throttled.Projections.Merging;

/// <summary>
/// The SQL that databases share. SQLite took its ON CONFLICT from PostgreSQL: https://sqlite.org/lang_upsert.html. SQL Server has another statement, with
/// the same names for the existing row and the change.
/// </summary>
internal static class MergeText
{
    internal static string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    internal static string Table(string? schema, string table) => schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    internal static string Insert(string table, IReadOnlyList<MergeColumn> columns) => $"INSERT INTO {table} AS existing ({Names(columns)})";

    internal static string OnConflict(IReadOnlyList<MergeColumn> columns)
    {
        var changes = Changes(columns, column => $"excluded.{Quote(column.Name)}");
        return $"ON CONFLICT ({Keys(columns)}) DO {(changes.Length == 0 ? "NOTHING" : $"UPDATE SET {changes}")}";
    }

    internal static string Keys(IEnumerable<MergeColumn> columns) => Names(columns.Where(column => column.Rule == MergeRule.Key));

    /// <summary>The assignments that merge changes into a row <c>existing</c>; empty if there are only keys.</summary>
    internal static string Changes(IEnumerable<MergeColumn> columns, Func<MergeColumn, string> change) => string.Join(
        ", ", columns.Where(column => column.Rule != MergeRule.Key).Select(column => $"{Quote(column.Name)} = {Merged(column, change(column))}"));

    internal static string New(MergeColumn column, string value) => column.Rule == MergeRule.Add ? $"coalesce({value}, 0)" : value;

    private static string Merged(MergeColumn column, string change)
    {
        var existing = $"existing.{Quote(column.Name)}";
        return column.Rule switch
        {
            MergeRule.Add => $"coalesce({existing}, 0) + {change}",
            MergeRule.SetUnlessNull => $"coalesce({change}, {existing})",
            MergeRule.Max => Wins(existing, '>', change),
            MergeRule.Min => Wins(existing, '<', change),
            _ => change,
        };
    }

    // PostgreSQL's greatest ignores null, SQLite's max returns it. This expression ignores null everywhere.
    private static string Wins(string existing, char comparison, string change) =>
        $"CASE WHEN {existing} IS NULL OR {change} {comparison} {existing} THEN {change} ELSE {existing} END";

    internal static string Names(IEnumerable<MergeColumn> columns) => string.Join(", ", columns.Select(column => Quote(column.Name)));
}

internal sealed record MergeStatements(string Upsert, string Delete);

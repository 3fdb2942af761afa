namespace Throttled.Projections.Merging;

/// <summary>The SQL that both databases share. SQLite took its ON CONFLICT from PostgreSQL: https://sqlite.org/lang_upsert.html</summary>
internal static class MergeText
{
    internal static string Quote(string identifier) => $"\"{identifier.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

    internal static string Table(string? schema, string table) => schema is null ? Quote(table) : $"{Quote(schema)}.{Quote(table)}";

    internal static string Insert(string table, IReadOnlyList<MergeColumn> columns) => $"INSERT INTO {table} AS existing ({Names(columns)})";

    internal static string OnConflict(IReadOnlyList<MergeColumn> columns)
    {
        var changes = columns.Where(column => column.Rule != MergeRule.Key).Select(column => $"{Quote(column.Name)} = {Merged(column)}").ToList();
        return $"ON CONFLICT ({Keys(columns)}) DO {(changes.Count == 0 ? "NOTHING" : $"UPDATE SET {string.Join(", ", changes)}")}";
    }

    internal static string Keys(IEnumerable<MergeColumn> columns) => Names(columns.Where(column => column.Rule == MergeRule.Key));

    internal static string New(MergeColumn column, string value) => column.Rule == MergeRule.Add ? $"coalesce({value}, 0)" : value;

    private static string Merged(MergeColumn column)
    {
        var (existing, change) = ($"existing.{Quote(column.Name)}", $"excluded.{Quote(column.Name)}");
        return column.Rule switch
        {
            MergeRule.Add => $"coalesce({existing}, 0) + {change}",
            MergeRule.SetUnlessNull => $"coalesce({change}, {existing})",
            MergeRule.Max => Wins(existing, '>', change),
            MergeRule.Min => Wins(existing, '<', change),
            _ => change,
        };
    }

    // PostgreSQL's greatest ignores null, SQLite's max returns it. This expression ignores null in both.
    private static string Wins(string existing, char comparison, string change) =>
        $"CASE WHEN {existing} IS NULL OR {change} {comparison} {existing} THEN {change} ELSE {existing} END";

    private static string Names(IEnumerable<MergeColumn> columns) => string.Join(", ", columns.Select(column => Quote(column.Name)));
}

internal sealed record MergeStatements(string Upsert, string Delete);

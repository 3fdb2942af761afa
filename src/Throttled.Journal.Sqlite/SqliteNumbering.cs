namespace Throttled.Journal.Sqlite;

/// <summary>How the journal table issues its orderings: https://www.sqlite.org/autoinc.html</summary>
internal sealed class SqliteNumbering(JournalTables tables)
{
    internal const string CreateText = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";

    // No row here for a table that never had a row, or if this table was emptied too.
    internal const string Sequence = "SELECT seq FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE";

    /// <summary>A warning for the owner of a table that issues the same numbers again.</summary>
    internal string Warning { get; } =
        $"'{tables.JournalTable}' is not a table with AUTOINCREMENT. If its newest events are deleted, their numbers are issued again, and a reader "
        + "that was stopped meanwhile may skip events. Never delete the newest event of the journal while readers are stopped. To remove this "
        + "limit, stop the writers, copy all rows to a table of the same columns "
        + $"whose '{tables.OrderingColumn}' is INTEGER PRIMARY KEY AUTOINCREMENT, and replace the old table with it.";

    /// <summary>Whether the numbers of deleted newest rows are issued again.</summary>
    // A view has no such text. Its numbering is unknown, so the worst case is assumed.
    internal bool IsReused(SqliteSession session) =>
        Table(session, CreateText).First(static row => row.Text(0)) is not { } created || !SqliteTableSql.HasAutoIncrement(created);

    /// <returns>The highest ordering ever issued; null if the table does not remember it.</returns>
    internal long? LastIssued(SqliteSession session) => IsReused(session) ? null : Table(session, Sequence).First(static row => row.Integer(0));

    private PreparedStatement Table(SqliteSession session, string sql) => session.Statement(sql).Bind(1, tables.JournalTable);
}

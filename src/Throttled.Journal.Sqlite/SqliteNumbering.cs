namespace Throttled.Journal.Sqlite;

/// <summary>How the journal table issues its orderings: https://www.sqlite.org/autoinc.html</summary>
internal sealed class SqliteNumbering(JournalTables tables)
{
    internal const string CreateText = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE";

    // No row here for a table that never had a row, or if this table was emptied too.
    internal const string Sequence = "SELECT seq FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE";

    /// <summary>A warning for the owner of a table that issues the same numbers again.</summary>
    internal string Warning { get; } =
        $"'{tables.JournalTable}' is no table with AUTOINCREMENT, so the numbers of its newest events are issued again once these are "
        + "deleted. A reader that was stopped meanwhile may then resume from a stored offset that is past events it never read. "
        + "Either never delete the newest event of the journal while readers are stopped, or, once and while nobody writes, copy all rows "
        + $"into a table of the same columns whose '{tables.OrderingColumn}' is INTEGER PRIMARY KEY AUTOINCREMENT, and put that in its place.";

    /// <summary>Whether the numbers of deleted newest rows are issued again.</summary>
    // A view has no such text. Its numbering is unknown, so the worst case is assumed.
    internal bool IsReused(SqliteSession session) =>
        Table(session, CreateText).First(static row => row.Text(0)) is not { } created || !SqliteTableSql.HasAutoIncrement(created);

    /// <returns>The highest ordering ever issued; null if the table does not remember it.</returns>
    internal long? LastIssued(SqliteSession session) =>
        IsReused(session) ? null : Table(session, Sequence).First(static row => row.Integer(0));

    private PreparedStatement Table(SqliteSession session, string sql) => session.Statement(sql).Bind(1, tables.JournalTable);
}

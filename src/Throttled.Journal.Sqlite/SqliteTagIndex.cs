using Throttled.Journal.Database;

namespace Throttled.Journal.Sqlite;

internal sealed class SqliteTagIndex(JournalTables tables)
{
    // A partial index serves only queries that repeat its condition. index_xinfo also lists the columns after those that the
    // index names. They end in the table's key and order the rows too.
    internal const string Find =
        """
        SELECT 1 FROM pragma_index_list(?1) AS each
        WHERE each.partial = 0
            AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 0 AND name = ?2 COLLATE NOCASE)
            AND EXISTS (SELECT 1 FROM pragma_index_xinfo(each.name) WHERE seqno = 1 AND name = ?3 COLLATE NOCASE)
        """;

    /// <returns>Why reading by tag will be slow; null if it will not.</returns>
    internal string? Warning(SqliteSession session)
    {
        if (tables.TagMode != TagMode.TagTable)
            return null;
        var find = session.Statement(Find).Bind(1, tables.TagTable).Bind(2, tables.TagColumn).Bind(3, tables.TagOrderingColumn);
        return find.First(static _ => true)
            ? null
            : ProbeResult.NoTagIndex(tables, $"\"{tables.TagTable}\"", new SqliteSchema(tables).CreateTagIndex());
    }
}
